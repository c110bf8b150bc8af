import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, readableBy } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { isThere, means } from './meant.ts'
import { hasRules, letsDeploy, protections, targetsOfDeployments } from './protections.ts'
import { type PlanSource, protects } from './tier.ts'

/** One approval or rejection. */
export interface ApprovalDecision {
  readonly user: UserBasicRow
  readonly status: 'approved' | 'rejected'
  readonly created_at: string
  readonly comment: string | null
  /**
   * Whether it counts for the rule. While the deployment waits, an approval stops counting when its author loses the role
   * that allowed it.
   */
  readonly counts: boolean
}

/** A rule about a deployment, with the approvals and rejections for it. */
export interface RuleState {
  readonly deployment_id: number
  /** Null where the protection has no rules: then those who may deploy approve. */
  readonly id: number | null
  readonly access_level: number | null
  readonly user_id: number | null
  readonly group_id: number | null
  /** The name of the user or group. */
  readonly name: string | null
  /** Whether the viewer may know the group. */
  readonly visible: boolean
  readonly required_approvals: number
  /** Whether the viewer may approve for it. */
  readonly mine: boolean
  /** Whether the viewer deployed it, and so may not approve. */
  readonly barred: boolean
  readonly given: readonly ApprovalDecision[]
}

/**
 * The rules that deployments must meet, in order from the topmost group down to the project. One statement serves all deployments.
 */
export async function rulesOf(
  db: Db | Tx['db'],
  services: PlanSource,
  viewer: Viewer,
  deploymentIds: readonly number[],
): Promise<RuleState[]> {
  if (deploymentIds.length === 0 || !protects(services)) return []
  const { today } = viewer
  const meaning = (grant: string) => means(grant, today)
  const isMeant = sql`(case when e.id is null then ${letsDeploy(meaning)} else ${meaning('e')} end)`
  const counts = sql`(not t.waits or ((a.user_id is distinct from t.user_id or t.may_approve_own)
    and ${isMeant} and ${readableBy('p', 'u', today)}))`
  const { rows } = await sql<RuleState>`
    with ${targetsOfDeployments(deploymentIds)}, ${protections}
    select t.key as deployment_id, e.id, e.access_level, e.user_id, e.group_id, coalesce(named.name, named_group.name) as name,
      (named_group.id is null or ${groupVisibleTo('named_group', viewer)}) as visible,
      coalesce(e.required_approvals, pe.required_approval_count) as required_approvals,
      exists (select from users u where u.id = ${viewer.id}::bigint and ${isMeant}) as mine,
      (t.user_id is not distinct from ${viewer.id}::bigint and not t.may_approve_own) as barred,
      coalesce((select json_agg(json_build_object('user', ${userBasicJson('u')}, 'status', a.status,
          'created_at', a.created_at, 'comment', a.comment, 'counts', ${counts}) order by a.id)
        from deployment_approvals a join users u on u.id = a.user_id
        where a.deployment_id = t.key and (e.id is null or a.approval_rule_id = e.id)), '[]') as given
    from target t join namespaces p on p.id = t.node_id join protections pe on pe.key = t.key
      join namespaces c on c.id = pe.node
      left join protected_environment_grants e on e.protected_environment_id = pe.id and e.purpose = 'approve'
        and ${isThere('e')}
      left join users named on named.id = e.user_id left join namespaces named_group on named_group.id = e.group_id
    where e.id is not null or (pe.required_approval_count > 0 and not ${hasRules})
    order by t.key, pe.depth, pe.id, e.position, e.id`.execute(db)
  return rows
}

/** How many approvals a rule demands, and the approvals that count so far. */
export interface RuleProgress {
  readonly required_approvals: number
  readonly approvers: ReadonlySet<number>
}

/** Each person counts once for a rule. */
export function progressOf({ required_approvals, given }: RuleState): RuleProgress {
  const counting = given.filter(({ status, counts }) => status === 'approved' && counts)
  return { required_approvals, approvers: new Set(counting.map(({ user }) => user.id)) }
}

/** How many approvals rules still lack. */
export const lacking = (rules: readonly RuleProgress[]): number =>
  rules.reduce(
    (sum, { required_approvals, approvers }) => sum + Math.max(0, required_approvals - approvers.size),
    0,
  )
