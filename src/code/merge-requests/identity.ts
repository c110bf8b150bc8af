import { inProjects } from '#planning/noteables/containers.ts'
import type { KindIdentity } from '#planning/noteables/identity.ts'
import { mergeRequestKey } from './parameters.ts'

/** What merge requests are called, and where they are. */
export const mergeRequestIdentity: KindIdentity = {
  name: 'merge_request',
  type: 'MergeRequest',
  noun: 'merge request',
  title: 'a merge request',
  table: 'merge_requests',
  container: inProjects({
    read: 'read_merge_request',
    createNote: 'create_merge_request_note',
    award: 'award_merge_request_emoji',
    readInternalNotes: 'read_internal_note',
    adminNotes: 'admin_note',
    setCreatedAt: 'set_created_at',
  }),
  segment: 'merge_requests',
  key: mergeRequestKey,
}
