import { Epic } from '#planning/epics/entity.ts'
import { path } from '../frame/api.ts'
import { type GroupDetail, groupPageOf } from '../frame/group.ts'
import type { ListPage } from '../frame/list-page.ts'
import { addressOf, choices, pathIn } from '../frame/lists.ts'
import { itemRow } from '../items/row.ts'

const states = { opened: 'Open', closed: 'Closed', all: 'All' } as const

/** The epics of a group and its subgroups in a state. */
export function epicsOf(
  group: GroupDetail,
  state: keyof typeof states,
  search: string | undefined,
  mayOpen: boolean,
): ListPage<typeof Epic> {
  const here = groupPageOf(group, 'epics')
  return {
    title: 'Epics',
    api: path`/groups/${group.id}/epics`,
    query: { with_labels_details: true, state },
    item: Epic,
    row: (epic) => itemRow(epic, epic.references.full, pathIn(epic.web_url)),
    none: 'There is no epic here. An epic holds issues of many projects that lead to one goal.',
    search: 'Words in titles and descriptions',
    make: mayOpen && { title: 'New epic', address: `${here}/new` },
    tabs: choices(
      'State',
      Object.entries(states).map(([name, title]) => ({
        title,
        address: addressOf(here, { search, state: name === 'opened' ? undefined : name }),
        here: name === state,
      })),
    ),
  }
}
