import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { sql } from 'kysely'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { lacking, progressOf, rulesOf, type RuleState } from './approval-state.ts'
import { descriptionOf } from './entity.ts'
import { protects } from './tier.ts'

/** An approval or rejection of a deployment. */
export const DeploymentApproval = entity('DeploymentApproval', {
  user: UserBasic,
  status: oneOf(['approved', 'rejected']),
  created_at: moment(),
  comment: nullable(Type.String()),
})

const ApprovalSummary = entity('DeploymentApprovalSummary', {
  rules: Type.Array(
    entity('DeploymentApprovalRule', {
      user_id: nullable(integer()),
      group_id: nullable(integer({ description: 'Null also for a group that the caller may not see.' })),
      access_level: nullable(integer()),
      access_level_description: Type.String(),
      required_approvals: integer(),
      deployment_approvals: Type.Array(DeploymentApproval),
    }),
  ),
})

/** The fields about approvals that every deployment in an answer has. */
export const approvalFields = {
  user_permissions: Type.Optional(
    Type.Object(
      {
        approve: Type.Boolean(),
        reject: Type.Boolean(),
        represented_as: Type.Array(Type.String(), { description: 'The names of the rules that mean you.' }),
      },
      { description: 'Only where `with_permissions` asks for it: what you may decide, once it waits.' },
    ),
  ),
  pending_approval_count: integer({ description: 'How many approvals it lacks while it waits.' }),
  approvals: Type.Array(DeploymentApproval),
  approval_summary: ApprovalSummary,
}

export interface ApprovalFields {
  readonly user_permissions?: {
    readonly approve: boolean
    readonly reject: boolean
    readonly represented_as: string[]
  }
  readonly pending_approval_count: number
  readonly approvals: Static<typeof DeploymentApproval>[]
  readonly approval_summary: Static<typeof ApprovalSummary>
}

/** The same where nothing needs approval. */
export const noApprovals: ApprovalFields = {
  pending_approval_count: 0,
  approvals: [],
  approval_summary: { rules: [] },
}

export interface ApprovalRow {
  readonly user: UserBasicRow
  readonly status: 'approved' | 'rejected'
  readonly created_at: string
  readonly comment: string | null
}

export const presentApproval = (
  { user, status, created_at, comment }: ApprovalRow,
  site: string,
): Static<typeof DeploymentApproval> => ({
  user: presentUserBasic(user, site),
  status,
  created_at: iso(created_at),
  comment,
})

/**
 * The fields about approvals of deployments, by the ids of the deployments.
 * @param withPermissions whether to say what the caller may decide
 */
export async function approvalFieldsOf(
  request: FastifyRequest,
  deployments: readonly { readonly id: number; readonly status: string }[],
  withPermissions = false,
): Promise<ReadonlyMap<number, ApprovalFields>> {
  const { services, db } = request.server
  const { viewer, site } = request
  const ids = deployments.map(({ id }) => id)
  const rules = await rulesOf(db, services, viewer, ids)
  const given = protects(services) && ids.length > 0 ? await approvalsOf(db, ids) : []
  return new Map(
    deployments.map(({ id, status }) => {
      const own = rules.filter(({ deployment_id }) => deployment_id === id)
      return [
        id,
        {
          ...(withPermissions && { user_permissions: permissionsOf(request, own) }),
          pending_approval_count: status === 'blocked' ? lacking(own.map(progressOf)) : 0,
          approvals: given
            .filter(({ deployment_id }) => deployment_id === id)
            .map((row) => presentApproval(row, site)),
          approval_summary: { rules: own.map((rule) => presentRule(rule, site)) },
        },
      ]
    }),
  )
}

/** What {@link approve} lets the caller decide. */
function permissionsOf(request: FastifyRequest, rules: readonly RuleState[]) {
  const mine = rules.filter((rule) => rule.mine)
  const reject = mine.length > 0 && request.project().can('approve_deployment')
  return {
    approve: reject && !mine.some(({ barred }) => barred),
    reject,
    represented_as: [...new Set(mine.filter(({ id }) => id !== null).map(descriptionOf))],
  }
}

/** The approvers of a protection without rules. */
const DEPLOYERS = 'Those who may deploy'
const HIDDEN = 'A group'

/** The approvals that count, and the rejections. */
function presentRule(rule: RuleState, site: string) {
  const { id, access_level, user_id, group_id, visible, required_approvals, given } = rule
  return {
    user_id,
    group_id: visible ? group_id : null,
    access_level,
    access_level_description: id === null ? DEPLOYERS : visible ? descriptionOf(rule) : HIDDEN,
    required_approvals,
    deployment_approvals: given
      .filter(({ counts, status }) => counts || status === 'rejected')
      .map((row) => presentApproval(row, site)),
  }
}

/** All approvals and rejections, also those that count no more. An approval for several rules of one name is listed once. */
async function approvalsOf(
  db: FastifyRequest['server']['db'],
  ids: readonly number[],
): Promise<(ApprovalRow & { readonly deployment_id: number })[]> {
  const { rows } = await sql<ApprovalRow & { deployment_id: number }>`
    select a.deployment_id, ${userBasicJson('u')} as user, a.status, a.created_at, a.comment
    from deployment_approvals a join users u on u.id = a.user_id
    where a.deployment_id = any(${[...ids]}::bigint[]) and not exists (
      select from deployment_approvals same where same.deployment_id = a.deployment_id and same.user_id = a.user_id
        and same.created_at = a.created_at and same.status = a.status and same.id < a.id)
    order by a.id`.execute(db)
  return rows
}
