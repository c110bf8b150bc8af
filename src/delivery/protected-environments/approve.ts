import type { Viewer } from '#platform/access/viewer.ts'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, invalid, refusal } from '#platform/refusals.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { userBasicColumns } from '#identity/users/basic.ts'
import { changeStatus } from '../deployments/change-status.ts'
import { lockDeployment, type LockedDeployment } from '../deployments/queries.ts'
import type { ApprovalRow } from './approval-fields.ts'
import { lacking, progressOf, type RuleProgress, rulesOf, type RuleState } from './approval-state.ts'
import { descriptionOf } from './entity.ts'
import type { GateCaller } from './gate.ts'
import type { PlanSource } from './tier.ts'

export interface Opinion {
  readonly status: 'approved' | 'rejected'
  readonly comment?: string
  /** The name of the user, group or level that the caller stands for. */
  readonly represented_as?: string
}

/** Somebody who approves or rejects a deployment. */
export interface Approver {
  readonly id: number
  readonly viewer: Viewer
  readonly services: PlanSource
  readonly project: ProjectContainer
}

/**
 * Approves or rejects a deployment that waits. A rejection ends it. With the last approval that its rules demand, it goes on. The same
 * decision again changes nothing.
 * @throws 404; 400 when the deployment does not wait, or the caller does not belong to the user, group or level that they name; 403 for
 * a caller whom no rule names, and for an approval of one's own deployment
 */
export async function approve(
  tx: Tx,
  approver: Approver,
  deploymentId: number,
  opinion: Opinion,
): Promise<ApprovalRow> {
  await lockReferencedRows(tx, { users: [approver.id] })
  const locked = await lockDeployment(tx, approver.project.id, deploymentId)
  if (locked.deployment.status !== 'blocked')
    throw refusal('400 Bad request - the deployment does not wait for approvals')
  const { services, viewer } = approver
  const all = await rulesOf(tx.db, services, viewer, [deploymentId])
  const rules = represented(all, opinion.represented_as)
  if (opinion.status === 'approved' && rules.some(({ barred }) => barred)) {
    throw forbidden('you may not approve your own deployment')
  }
  const isNew = await write(tx, approver.id, deploymentId, rules, opinion)
  if (isNew) {
    recordOpinion(tx, approver.project.namespace_id, locked, opinion)
    if (opinion.status === 'rejected') await changeStatus(tx, approver.project.namespace_id, locked, 'failed')
    else if (lacking(all.map((rule) => withApproval(rule, rules, approver.id))) === 0)
      await changeStatus(tx, approver.project.namespace_id, locked, 'created')
  }
  return findApproval(tx, approver.id, deploymentId, rules[0]?.id ?? null)
}

/**
 * The rules that an approval counts for: the rules that include the caller and have the name that the caller gives, or else the name of
 * the first such rule. So nobody approves for two groups at once by accident.
 */
function represented(rules: readonly RuleState[], name: string | undefined): readonly RuleState[] {
  const mine = rules.filter((rule) => rule.mine)
  const named = mine.filter(({ id }) => id !== null)
  if (name !== undefined) {
    const found = named.filter((rule) => descriptionOf(rule) === name)
    if (found.length === 0) throw invalid({ represented_as: ['is no approval rule that means you'] })
    return found
  }
  const [first] = named
  if (first !== undefined) {
    const description = descriptionOf(first)
    return named.filter((rule) => descriptionOf(rule) === description)
  }
  if (mine.length === 0) throw forbidden('you may not approve or reject this deployment')
  return mine.slice(0, 1)
}

/** A rule with one more approval, if the approval counts for it. Without rules, the approval of everybody who may deploy counts. */
function withApproval(rule: RuleState, approved: readonly RuleState[], userId: number): RuleProgress {
  const { required_approvals, approvers } = progressOf(rule)
  const counts = approved.includes(rule) || (rule.id === null && rule.mine)
  return { required_approvals, approvers: counts ? new Set([...approvers, userId]) : approvers }
}

/** @returns false when the same person decided the same before */
async function write(
  tx: Tx,
  userId: number,
  deploymentId: number,
  rules: readonly RuleState[],
  { status, comment }: Opinion,
): Promise<boolean> {
  const said = comment === undefined || comment === '' ? null : comment
  const written = await tx.db
    .insertInto('deployment_approvals')
    .values(
      rules.map(({ id }) => ({
        deployment_id: deploymentId,
        user_id: userId,
        approval_rule_id: id,
        status,
        comment: said,
        created_at: tx.now,
        updated_at: tx.now,
      })),
    )
    .onConflict((oc) =>
      oc
        .constraint('deployment_approvals_key')
        .doUpdateSet({ status, comment: said, updated_at: tx.now })
        .where('deployment_approvals.status', '<>', status),
    )
    .returning('id')
    .execute()
  return written.length > 0
}

async function findApproval(
  tx: Tx,
  userId: number,
  deploymentId: number,
  ruleId: number | null,
): Promise<ApprovalRow> {
  const { status, created_at, comment, ...user } = await tx.db
    .selectFrom('deployment_approvals as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.status', 'a.created_at', 'a.comment'])
    .select(userBasicColumns.map((name) => `u.${name}` as const))
    .where('a.deployment_id', '=', deploymentId)
    .where('a.user_id', '=', userId)
    .where('a.approval_rule_id', 'is not distinct from', ruleId)
    .executeTakeFirstOrThrow()
  return { user, status, created_at, comment }
}

function recordOpinion(
  tx: Tx,
  namespace: number,
  { deployment: { id, iid, environment_id }, environment }: LockedDeployment,
  { status }: Opinion,
): void {
  const about = { namespace, target: { type: 'Deployment', id } }
  const details = { iid, environment_id, environment: environment.name }
  record(
    tx,
    status === 'approved'
      ? { ...about, name: 'deployment approved', details }
      : { ...about, name: 'deployment rejected', details },
  )
}

/**
 * Lets a waiting deployment go on that lacks no approval any more, because the protection of its environment was removed or now demands
 * fewer.
 * @param locked by `lockDeployment`
 */
export async function releaseIfApproved(
  tx: Tx,
  { project, viewer, services }: GateCaller,
  locked: LockedDeployment,
): Promise<LockedDeployment> {
  const { deployment } = locked
  if (deployment.status !== 'blocked') return locked
  const rules = await rulesOf(tx.db, services, viewer, [deployment.id])
  if (lacking(rules.map(progressOf)) > 0) return locked
  await changeStatus(tx, project.container.namespace_id, locked, 'created')
  return { ...locked, deployment: { ...deployment, status: 'created' } }
}
