import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'

/** What a project demands of approvals. */
export interface ApprovalSettings {
  readonly reset_approvals_on_push: boolean
  readonly selective_code_owner_removals: boolean
  readonly disable_overriding_approvers_per_merge_request: boolean
  /** Whether authors may approve what they wrote. */
  readonly merge_requests_author_approval: boolean
  readonly merge_requests_disable_committers_approval: boolean
  readonly require_reauthentication_to_approve: boolean
}

const settingNames = [
  'reset_approvals_on_push',
  'selective_code_owner_removals',
  'disable_overriding_approvers_per_merge_request',
  'merge_requests_author_approval',
  'merge_requests_disable_committers_approval',
  'require_reauthentication_to_approve',
] as const

const standard: ApprovalSettings = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_reauthentication_to_approve: false,
}

/** What counts where the plan has no such settings. */
export const lenient: ApprovalSettings = { ...standard, merge_requests_author_approval: true }

export async function approvalSettingsOf(db: Db | Tx['db'], projectId: number): Promise<ApprovalSettings> {
  const row = await db
    .selectFrom('project_approval_settings')
    .select(settingNames)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row ?? standard
}

/** Changes settings of a project that is locked. */
export async function changeApprovalSettings(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number },
  changes: Partial<ApprovalSettings>,
): Promise<ApprovalSettings> {
  const before = await approvalSettingsOf(tx.db, project.id)
  const after = { ...before, ...changes }
  const different = changesBetween(before, after)
  if (Object.keys(different).length === 0) return before
  await tx.db
    .insertInto('project_approval_settings')
    .values({ project_id: project.id, ...after })
    .onConflict((oc) => oc.column('project_id').doUpdateSet(after))
    .execute()
  record(tx, {
    name: 'approval settings changed',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: { fields: Object.keys(different), changes: different },
  })
  return after
}
