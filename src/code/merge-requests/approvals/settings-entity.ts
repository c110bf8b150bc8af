import { type Static, Type } from 'typebox'
import { entity, integer } from '#platform/http/schema.ts'
import { completed, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import type { ApprovalSettings } from './settings.ts'

const older = <T extends object>(schema: T): T => ({ ...schema, deprecated: true })

export const ApprovalSettingsEntity = entity('ProjectApprovals', {
  approvers: older(Type.Array(Type.Object({}))),
  approver_groups: older(Type.Array(Type.Object({}))),
  approvals_before_merge: older(integer()),
  reset_approvals_on_push: Type.Boolean(),
  selective_code_owner_removals: Type.Boolean(),
  disable_overriding_approvers_per_merge_request: Type.Boolean(),
  merge_requests_author_approval: Type.Boolean(),
  merge_requests_disable_committers_approval: Type.Boolean(),
  require_password_to_approve: older(Type.Boolean()),
  require_reauthentication_to_approve: Type.Boolean(),
})

export const presentApprovalSettings = (
  settings: ApprovalSettings,
  stored: StoredSettings,
): Static<typeof ApprovalSettingsEntity> => ({
  approvers: [],
  approver_groups: [],
  approvals_before_merge: completed(stored).approvals_before_merge,
  ...settings,
  require_password_to_approve: settings.require_reauthentication_to_approve,
})
