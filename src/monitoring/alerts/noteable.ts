import { type RawBuilder, sql } from 'kysely'
import { inProjects } from '#planning/noteables/containers.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import { type NoteableKind, type SystemNote, titleAndDescription } from '#planning/noteables/kind.ts'
import { ALERT } from './facts.ts'
import { alertIid } from './parameters.ts'
import { alertsVisibleTo } from './visible.ts'

const assignees = (id: RawBuilder<number>) =>
  sql`select a.user_id from alert_assignees a where a.alert_id = ${id}`

const mentionsOf = (people: readonly { readonly username: string }[]) =>
  people.map(({ username }) => `@${username}`).join(', ')

/** Alerts as a kind of noteable: people write notes on them, react, and put them on their to-do lists. */
export const alertNoteable: NoteableKind = {
  name: 'alert',
  type: ALERT,
  noun: 'alert',
  title: 'an alert',
  table: 'alerts',
  container: inProjects({
    read: 'read_alert',
    createNote: 'create_alert_note',
    award: 'award_alert_emoji',
    readInternalNotes: 'read_internal_note',
    adminNotes: 'admin_note',
    setCreatedAt: 'set_created_at',
  }),
  segment: 'alert_management_alerts',
  key: { param: 'alert_iid', schema: alertIid },
  notes: {
    fields: { iid: true, imported: true, commands: false },
    list: [],
    create: ['created_at'],
    update: { bodyRequired: true, confidential: false },
  },
  rows: {
    seesRestricted: () => true,
    select: ({ container, key }) => sql`
      select a.id, a.iid, false as locked, true as open from alerts a
      where a.project_id = ${container} and a.iid = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from alerts ha join projects hp on hp.id = ha.project_id
      join namespaces hn on hn.id = hp.project_namespace_id
      where ha.id = ${id} and ${alertsVisibleTo(viewer, { node: 'hn', project: 'hp' })})`,
  notificationQueries: {
    select: (id) => sql`
      select a.title, a.description, n.full_path || '/-/alert_management/' || a.iid || '/details' as page,
        '^alert#' || a.iid as reference, a.iid, a.status as state
      from alerts a join projects p on p.id = a.project_id join namespaces n on n.id = p.project_namespace_id
      where a.id = ${id}`,
    people: assignees,
  },
  text: titleAndDescription('alerts'),
  reference: ({ iid }) => `^alert#${iid}`,
  systemNotes: readFacts(['alert status changed', 'alert assignees changed'], (fact): SystemNote => {
    if (fact.name === 'alert status changed') return { body: `changed the status to ${fact.details.to}` }
    const { added, removed } = fact.details
    const parts = [
      ...(added.length > 0 ? [`assigned to ${mentionsOf(added)}`] : []),
      ...(removed.length > 0 ? [`unassigned ${mentionsOf(removed)}`] : []),
    ]
    return { body: parts.join(' and ') }
  }),
  resourceEvents: { lists: [], of: readFacts([], () => []) },
}
