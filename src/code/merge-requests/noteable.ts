import { sql } from 'kysely'
import { type NoteableKind, titleAndDescription } from '#planning/noteables/kind.ts'
import { aboutMergeRequest } from './facts-about.ts'
import { mergeRequestIdentity } from './identity.ts'
import { peopleOfMergeRequest } from './people.ts'
import { mergeRequestQuickActions } from './quick-actions.ts'
import { mergeRequestResourceEvents } from './resource-events.ts'
import { resolveMergeRequests } from './resolve-references.ts'
import { readSuggestions } from './suggestions/read-suggestions.ts'
import { suggestionsOf } from './suggestions/suggestions-sql.ts'
import { writeSuggestions } from './suggestions/write-suggestions.ts'
import { mergeRequestSystemNotes } from './system-notes.ts'
import { placeOnMergeRequest } from './threads/place-note.ts'
import { mergeRequestThreads } from './threads/resolving.ts'
import { mergeRequestVisibleTo } from './visible.ts'

/** Merge requests as a kind of noteable. */
export const mergeRequestNoteable: NoteableKind = {
  ...mergeRequestIdentity,
  notesForJobs: true,
  notes: {
    fields: { iid: true, imported: false, commands: true, diff: 'of several commits' },
    list: [],
    create: ['internal', 'created_at', 'merge_request_diff_head_sha', 'position', 'commit_id'],
    update: { bodyRequired: true, confidential: true },
  },
  countsVotes: true,
  rows: {
    // Nothing hides one from those who may read the others.
    seesRestricted: () => true,
    select: ({ container, key }) => sql`
      select mr.id, mr.iid, coalesce(mr.discussion_locked, false) as locked, true as open
      from merge_requests mr where mr.project_id = ${container} and mr.iid = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from merge_requests hm join projects hp on hp.id = hm.project_id
      join namespaces hn on hn.id = hp.project_namespace_id
      where hm.id = ${id} and ${mergeRequestVisibleTo(viewer, { node: 'hn', project: 'hp' })})`,
  notificationQueries: {
    select: (id) => sql`
      select mr.title, mr.description, n.full_path || '/-/merge_requests/' || mr.iid as page, '!' || mr.iid as reference,
        mr.iid, mr.state::text as state
      from merge_requests mr join projects p on p.id = mr.project_id join namespaces n on n.id = p.project_namespace_id
      where mr.id = ${id}`,
    people: peopleOfMergeRequest,
    labels: (id) => sql`select c.label_id from merge_request_labels c where c.merge_request_id = ${id}`,
  },
  text: titleAndDescription(mergeRequestIdentity.table),
  reference: ({ iid }) => `!${iid}`,
  referenceTarget: {
    as: 'merge_request',
    resolve: resolveMergeRequests,
    mentioned: (mergeRequest, { id, noun, reference }) => ({
      ...aboutMergeRequest(mergeRequest),
      name: 'merge request mentioned',
      details: { about_id: id, noun, reference },
    }),
  },
  place: placeOnMergeRequest,
  suggesting: { read: readSuggestions, write: writeSuggestions, of: suggestionsOf },
  resolving: mergeRequestThreads,
  quickActions: mergeRequestQuickActions,
  systemNotes: mergeRequestSystemNotes,
  resourceEvents: mergeRequestResourceEvents,
}
