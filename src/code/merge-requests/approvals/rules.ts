import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current, groupVisibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { counts, demanded, isAbout } from './sql.ts'

/** A group as a rule names it. */
export interface RuleGroup {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

/** The most eligible people that are shown of one rule. */
const MOST_SHOWN = 1_000

const groupsOf = (viewer: Viewer, what: RawBuilder<unknown>, visible = true) => sql`
  select ${what} from approval_rule_groups rg join namespaces g on g.id = rg.group_id and g.deleted_at is null
    where rg.rule_id = r.id and ${visible ? sql`` : sql`not `}${groupVisibleTo('g', viewer)}`

const users = sql<UserBasicRow[]>`coalesce((
  select json_agg(${userBasicJson('u')} order by u.id) from approval_rule_users ru join users u on u.id = ru.user_id
    where ru.rule_id = r.id), '[]')`

const groups = (viewer: Viewer) =>
  sql<RuleGroup[]>`coalesce((${groupsOf(
    viewer,
    sql`json_agg(json_build_object('id', g.id, 'name', g.name, 'path', g.path, 'full_path', g.full_path,
    'visibility', g.visibility) order by g.id)`,
  )}), '[]')`

/** Members of groups that the viewer may not see are not told. */
const eligible = (viewer: Viewer) => sql<UserBasicRow[]>`coalesce((
  select json_agg(${userBasicJson('u')} order by u.id) from users u where u.id in (
    select ru.user_id from approval_rule_users ru where ru.rule_id = r.id
    union
    (select m.user_id from members m where ${current('m', viewer.today)} and m.namespace_id in (
      ${groupsOf(viewer, sql`unnest(g.traversal_ids)`)}) limit ${sql.lit(MOST_SHOWN)}))), '[]')`

/** Rules with what presenters need, as far as the viewer may see it. */
export function rulesFor(db: Db | Tx['db'], viewer: Viewer) {
  return db.selectFrom('approval_rules as r').select([
    'r.id',
    'r.name',
    'r.rule_type',
    'r.approvals_required',
    'r.applies_to_all_protected_branches',
    'r.merge_request_id',
    'r.source_rule_id',
    users.as('users'),
    groups(viewer).as('groups'),
    sql<boolean>`exists (${groupsOf(viewer, sql`1`, false)})`.as('has_hidden_groups'),
    eligible(viewer).as('eligible'),
    sql<
      number[]
    >`array(select rb.protected_reference_id from approval_rule_branches rb where rb.rule_id = r.id
        order by 1)`.as('branch_ids'),
    sql<number | null>`(select s.approvals_required from approval_rules s where s.id = r.source_rule_id)`.as(
      'source_requires',
    ),
  ])
}

export type RuleRow = Awaited<ReturnType<ReturnType<typeof rulesFor>['executeTakeFirstOrThrow']>>

export const ruleOrder: ListOrder = {
  of: 'ApprovalRule',
  id: 'r.id',
  columns: { id: { column: 'r.id' } },
  by: 'id',
  sort: 'asc',
}

export const projectRules = (db: Db | Tx['db'], viewer: Viewer, projectId: number) =>
  rulesFor(db, viewer).where('r.project_id', '=', projectId).where('r.merge_request_id', 'is', null)

/** The rules that count for a merge request, and who has approved as they demand. */
export const rulesAbout = (db: Db | Tx['db'], viewer: Viewer, mergeRequestId: number) =>
  rulesFor(db, viewer)
    .innerJoin('merge_requests as mr', (on) => on.on(isAbout))
    .select(
      sql<UserBasicRow[]>`coalesce((
        select json_agg(${userBasicJson('u')} order by a.created_at, u.id)
          from merge_request_approvals a join users u on u.id = a.user_id
          where a.merge_request_id = mr.id and ${counts(viewer.today)}), '[]')`.as('approved_by'),
    )
    .select(demanded(viewer.today).as('demanded'))
    .where('mr.id', '=', mergeRequestId)

export type CountedRule = Awaited<ReturnType<ReturnType<typeof rulesAbout>['executeTakeFirstOrThrow']>>

/** @throws 404 */
export async function findProjectRule(
  db: Db | Tx['db'],
  viewer: Viewer,
  projectId: number,
  id: number,
): Promise<RuleRow> {
  return projectRules(db, viewer, projectId)
    .where('r.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}

/** A rule of a merge request, or one of its project that counts for it. @throws 404 */
export async function findRuleAbout(
  db: Db | Tx['db'],
  viewer: Viewer,
  mergeRequestId: number,
  id: number,
): Promise<CountedRule> {
  return rulesAbout(db, viewer, mergeRequestId)
    .where('r.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}
