import { type Static, Type } from 'typebox'
import type { FastifyRequest } from 'fastify'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { presentUserBasic, UserBasic, userBasicColumns, type UserBasicRow } from '#identity/users/basic.ts'
import type { MergeRequestRow } from '../queries.ts'
import { approverOf } from './approver.ts'
import { mayApprove } from './approve.ts'
import { CountedApprovalRule, isMet, presentCountedRule } from './rule-entity.ts'
import { type CountedRule, rulesAbout } from './rules.ts'
import { approvalSettingsOf } from './settings.ts'
import { neededOfAnybody } from './sql.ts'
import { demandsApprovals } from './tier.ts'

const ShortRule = Type.Object({
  id: integer(),
  name: Type.String(),
  rule_type: oneOf(['any_approver', 'regular']),
})

const presentShort = ({ id, name, rule_type }: CountedRule) => ({ id, name, rule_type })

const none = () => ({ ...Type.Array(Type.Object({})), deprecated: true })

/** Who has approved a merge request, and what is left. */
export const Approvals = entity('MergeRequestApprovals', {
  id: integer(),
  iid: integer(),
  project_id: integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: moment(),
  updated_at: moment(),
  merge_status: Type.String(),
  approved: Type.Boolean({ description: 'Whether no approval is left that the merge needs.' }),
  approvals_required: integer(),
  approvals_left: integer(),
  require_password_to_approve: Type.Boolean({ deprecated: true }),
  require_reauthentication_to_approve: Type.Boolean(),
  approved_by: Type.Array(Type.Object({ user: UserBasic, approved_at: moment() })),
  suggested_approvers: Type.Array(UserBasic),
  approvers: none(),
  approver_groups: none(),
  approval_groups: none(),
  user_has_approved: Type.Boolean(),
  user_can_approve: Type.Boolean(),
  approval_rules_left: Type.Array(ShortRule),
  has_approval_rules: Type.Boolean(),
  merge_request_approvers_available: Type.Boolean({ description: 'Whether the plan has approval rules.' }),
  multiple_approval_rules_available: Type.Boolean(),
  invalid_approvers_rules: Type.Array(ShortRule, {
    description:
      'Rules that demand more approvals than there are people to give them. As many as there are do.',
  }),
})

export const ApprovalState = entity('ApprovalState', {
  approval_rules_overwritten: Type.Boolean({
    description: 'Whether the merge request has rules of its own.',
  }),
  rules: Type.Array(CountedApprovalRule),
})

interface ApproverRow extends UserBasicRow {
  readonly approved_at: string
}

/** How many suggestions there are at most. */
const MOST_SUGGESTED = 20

export async function presentApprovals(
  req: FastifyRequest,
  row: MergeRequestRow,
): Promise<Static<typeof Approvals>> {
  const { db } = req.server
  const demands = demandsApprovals(req.server.services)
  const given = await approvalsOf(req, row.id)
  const rules = demands ? await rulesAbout(db, req.viewer, row.id).orderBy('r.id').limit(100).execute() : []
  const ofAnybody = demands ? await neededFor(req, row.id) : 0
  const { id } = req.viewer
  const settings = await approvalSettingsOf(db, row.project_id)
  const reauthenticates = demands && settings.require_reauthentication_to_approve
  const canApprove =
    id !== null &&
    req.project().can('approve_merge_request') &&
    (await mayApprove(db, row, await approverOf(req, row), req.viewer.today))
  const left = rules.filter((rule) => !isMet(rule))
  const leftOfAnybody = Math.max(0, ofAnybody - given.length)
  const sum = (all: readonly number[]) => all.reduce((total, number) => total + number, 0)
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    merge_status: row.merge_status,
    approved: left.length === 0 && leftOfAnybody === 0,
    approvals_required: Math.max(ofAnybody, sum(rules.map(({ approvals_required }) => approvals_required))),
    approvals_left: Math.max(leftOfAnybody, sum(left.map(lacking))),
    require_password_to_approve: reauthenticates,
    require_reauthentication_to_approve: reauthenticates,
    approved_by: given.map((user) => ({
      user: presentUserBasic(user, req.site),
      approved_at: iso(user.approved_at),
    })),
    suggested_approvers: suggested(left, [row.author_id, ...given.map((user) => user.id)]).map((user) =>
      presentUserBasic(user, req.site),
    ),
    approvers: [],
    approver_groups: [],
    approval_groups: [],
    user_has_approved: given.some((user) => user.id === id),
    user_can_approve: canApprove,
    approval_rules_left: left.map(presentShort),
    has_approval_rules: rules.length > 0,
    merge_request_approvers_available: demands,
    multiple_approval_rules_available: demands,
    invalid_approvers_rules: rules
      .filter(({ demanded, approvals_required }) => demanded < approvals_required)
      .map(presentShort),
  }
}

const lacking = ({ demanded, approved_by }: CountedRule) => demanded - approved_by.length

function suggested(left: readonly CountedRule[], without: readonly number[]): UserBasicRow[] {
  const all = new Map(left.flatMap(({ eligible }) => eligible).map((user) => [user.id, user]))
  for (const id of without) all.delete(id)
  return [...all.values()].slice(0, MOST_SUGGESTED)
}

function approvalsOf(req: FastifyRequest, id: number): Promise<ApproverRow[]> {
  return req.server.db
    .selectFrom('merge_request_approvals as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(userBasicColumns.map((name) => `u.${name}` as const))
    .select('a.created_at as approved_at')
    .where('a.merge_request_id', '=', id)
    .orderBy('a.created_at')
    .orderBy('u.id')
    .execute()
}

async function neededFor({ server, viewer }: FastifyRequest, id: number): Promise<number> {
  const row = await server.db
    .selectFrom('merge_requests as mr')
    .innerJoin('projects as p', 'p.id', 'mr.project_id')
    .select(neededOfAnybody(viewer.today).as('needed'))
    .where('mr.id', '=', id)
    .executeTakeFirst()
  return row?.needed ?? 0
}

export async function presentState(
  req: FastifyRequest,
  { id }: MergeRequestRow,
): Promise<Static<typeof ApprovalState>> {
  const rules = await rulesAbout(req.server.db, req.viewer, id).orderBy('r.id').limit(100).execute()
  return {
    approval_rules_overwritten: rules.some(({ merge_request_id }) => merge_request_id !== null),
    rules: rules.map((rule) => presentCountedRule(rule, req.site)),
  }
}
