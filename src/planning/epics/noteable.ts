import { sql } from 'kysely'
import { type NoteableKind, titleAndDescription } from '#planning/noteables/kind.ts'
import { aboutEpic } from './facts-about.ts'
import { epicIdentity } from './identity.ts'
import { epicNumber } from './parameters.ts'
import { epicQuickActions } from './quick-actions.ts'
import { resolveEpics } from './resolve-references.ts'
import { epicResourceEvents } from './resource-events.ts'
import { epicSystemNotes } from './system-notes.ts'
import { epicVisibleTo, isNotConfidential } from './visible.ts'

const found = sql`select e.id, e.iid, false as locked, ${isNotConfidential('e')} as open from epics e`

/** Epics as a kind of noteable. Paths of notes name them by id, those of reactions by number. */
export const epicNoteable: NoteableKind = {
  ...epicIdentity,
  usersOnly: true,
  notes: {
    fields: { iid: true, imported: true, commands: true },
    list: [],
    create: ['internal', 'confidential', 'created_at'],
    update: { bodyRequired: true, confidential: true },
  },
  countsVotes: true,
  rows: {
    seesRestricted: (caller) => caller.group().can('read_confidential_epic'),
    select: ({ container, key }) => sql`${found} where e.group_id = ${container} and e.id = ${key}`,
  },
  awards: {
    key: epicNumber,
    select: ({ container, key }) => sql`${found} where e.group_id = ${container} and e.iid = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from epics he join namespaces hg on hg.id = he.group_id
      where he.id = ${id} and ${epicVisibleTo(viewer, { epic: 'he', node: 'hg' })})`,
  notificationQueries: {
    select: (id) => sql`
      select e.title, e.description, 'groups/' || n.full_path || '/-/epics/' || e.iid as page, '&' || e.iid as reference,
        e.iid, e.state::text as state
      from epics e join namespaces n on n.id = e.group_id where e.id = ${id}`,
    people: (id) => sql`select e.author_id from epics e where e.id = ${id}`,
    labels: (id) => sql`select c.label_id from epic_labels c where c.epic_id = ${id}`,
    openTo: (id) =>
      sql<boolean>`exists (select 1 from epics oe where oe.id = ${id} and ${isNotConfidential('oe')})`,
  },
  text: titleAndDescription(epicIdentity.table),
  reference: ({ iid }) => `&${iid}`,
  referenceTarget: {
    as: 'epic',
    resolve: resolveEpics,
    mentioned: ({ id, namespace_id }, { id: noteable_id, noun, reference }) => ({
      ...aboutEpic({ id, group_id: namespace_id }),
      name: 'epic mentioned',
      details: { noteable_id, noun, reference },
    }),
  },
  quickActions: epicQuickActions,
  systemNotes: epicSystemNotes,
  resourceEvents: epicResourceEvents,
}
