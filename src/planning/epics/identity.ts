import type { Deprecation } from '#platform/http/deprecations.ts'
import { integer } from '#platform/http/schema.ts'
import { inGroups } from '#planning/noteables/containers.ts'
import type { KindIdentity } from '#planning/noteables/identity.ts'
import { epicTier } from './tier.ts'

/** GitLab 17.0 deprecated the whole area. */
export const epicsApi: Deprecation = { since: '2024-05-16', successor: 'work items' }

/** What epics are called, and where they are. */
export const epicIdentity: KindIdentity = {
  name: 'epic',
  type: 'Epic',
  noun: 'epic',
  title: 'an epic',
  table: 'epics',
  container: inGroups({
    read: 'read_epic',
    createNote: 'create_epic_note',
    award: 'award_epic_emoji',
    readInternalNotes: 'read_internal_epic_note',
    adminNotes: 'admin_epic_note',
    setCreatedAt: 'set_epic_created_at',
  }),
  segment: 'epics',
  key: { param: 'epic_id', schema: integer({ minimum: 1 }) },
  tier: epicTier,
  deprecated: epicsApi,
}
