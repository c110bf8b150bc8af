import { inProjects } from '#planning/noteables/containers.ts'
import type { KindIdentity } from '#planning/noteables/identity.ts'
import { issueIid } from './by-issue.ts'

/** What issues are called, and where they are. */
export const issueIdentity: KindIdentity = {
  name: 'issue',
  type: 'Issue',
  noun: 'issue',
  title: 'an issue',
  table: 'issues',
  container: inProjects({
    read: 'read_issue',
    createNote: 'create_issue_note',
    award: 'award_issue_emoji',
    readInternalNotes: 'read_internal_note',
    adminNotes: 'admin_note',
    setCreatedAt: 'set_created_at',
  }),
  segment: 'issues',
  key: { param: 'issue_iid', schema: issueIid },
}
