import { Issue } from '#planning/issues/entity.ts'
import { html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf, choices, emptyList, otherPages } from '../frame/lists.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { itemRow } from '../items/row.ts'

export const incidentStates = ['opened', 'closed', 'all'] as const
const titles = { opened: 'Open', closed: 'Closed', all: 'All' } as const

interface Asked {
  readonly state?: (typeof incidentStates)[number]
  readonly page: number
}

/** Issues about something that went wrong. */
export async function incidentList(
  api: Api,
  project: EitherProject,
  { state = 'opened', page }: Asked,
): Promise<View> {
  const list = await api.list(Issue, path`/projects/${project.id}/issues`, {
    issue_type: 'incident',
    state,
    page,
    with_labels_details: true,
  })
  const here = pageOf(project, 'incidents')
  const chosen = (one: string) => (one === 'opened' ? undefined : one)
  return {
    title: `Incidents · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Incidents'),
    body: html`<h1>Incidents</h1>
      ${choices(
        'State',
        incidentStates.map((one) => ({
          title: titles[one],
          address: addressOf(here, { state: chosen(one) }),
          here: one === state,
        })),
      )}
      ${
        list.items.length === 0
          ? emptyList('There is no incident here. Alerts make them, and people do.')
          : html`<ul class="rows">
              ${list.items.map(
                (one) =>
                  html`<li>
                    ${itemRow(one, `#${one.iid}`, pageOf(project, `issues/incident/${one.iid}`))}
                  </li>`,
              )}
            </ul>`
      }
      ${otherPages(list, page, here, { state: chosen(state) })}`,
  }
}
