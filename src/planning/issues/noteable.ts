import { sql } from 'kysely'
import { type NoteableKind, titleAndDescription } from '#planning/noteables/kind.ts'
import { aboutIssue } from './facts-about.ts'
import { issueIdentity } from './identity.ts'
import { peopleOfIssue } from './people.ts'
import { issueQuickActions } from './quick-actions.ts'
import { resolveIssues } from './resolve-references.ts'
import { issueResourceEvents } from './resource-events.ts'
import { issueSystemNotes } from './system-notes.ts'
import { issueVisibleTo, openOrOwn } from './visible.ts'

/** Issues as a kind of noteable. */
export const issueNoteable: NoteableKind = {
  ...issueIdentity,
  notes: {
    // Only here do clients read the result of the commands in a body.
    fields: { iid: true, imported: true, commands: true },
    list: ['activity_filter'],
    create: ['internal', 'confidential', 'created_at'],
    update: { bodyRequired: false, confidential: true },
  },
  countsVotes: true,
  rows: {
    seesRestricted: (caller) => caller.project().can('read_confidential_issue'),
    select: ({ container, key, user }) => sql`
      select i.id, i.iid, coalesce(i.discussion_locked, false) as locked, ${openOrOwn(user, 'i')} as open
      from issues i where i.project_id = ${container} and i.iid = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from issues hi join projects hp on hp.id = hi.project_id
      join namespaces hn on hn.id = hp.project_namespace_id
      where hi.id = ${id} and ${issueVisibleTo(viewer, { issue: 'hi', node: 'hn', project: 'hp' })})`,
  notificationQueries: {
    select: (id) => sql`
      select i.title, i.description, n.full_path || '/-/issues/' || i.iid as page, '#' || i.iid as reference, i.iid,
        i.state::text as state
      from issues i join projects p on p.id = i.project_id join namespaces n on n.id = p.project_namespace_id
      where i.id = ${id}`,
    people: peopleOfIssue,
    labels: (id) => sql`select c.label_id from issue_labels c where c.issue_id = ${id}`,
    openTo: (id, user) =>
      sql<boolean>`exists (select 1 from issues oi where oi.id = ${id} and ${openOrOwn(user, 'oi')})`,
  },
  text: titleAndDescription(issueIdentity.table),
  reference: ({ iid }) => `#${iid}`,
  referenceTarget: {
    as: 'issue',
    resolve: resolveIssues,
    mentioned: (issue, { id, noun, reference }) => ({
      ...aboutIssue(issue),
      name: 'issue mentioned',
      details: { issue_id: id, reference, ...(noun === 'issue' ? {} : { noun }) },
    }),
  },
  quickActions: issueQuickActions,
  systemNotes: issueSystemNotes,
  resourceEvents: issueResourceEvents,
}
