import { type RawBuilder, sql } from 'kysely'
import { isThere } from './meant.ts'

/**
 * The SQL of protections: a project protects environments by name, and the groups above protect them by tier. A statement begins with a
 * part `target`, which has a row for each environment in question, and goes on with the parts here.
 */

/** An environment as protections see it. One that a deployment is about to create has its name and tier already. */
export interface ProtectedItem {
  readonly name: string
  readonly tier: string
}

/** The part `target` for environments of a project; `key` is their place in the list, from 1. */
export const targetsOf = (projectId: number, environments: readonly ProtectedItem[]) => sql`
  target as (
    select e.key, p.id as project_id, n.id as node_id, n.traversal_ids as path, e.name, e.tier
    from projects p join namespaces n on n.id = p.project_namespace_id
      cross join unnest(${environments.map(({ name }) => name)}::text[],
        ${environments.map(({ tier }) => tier)}::text[]) with ordinality as e (name, tier, key)
    where p.id = ${projectId})`

/** The same for deployments, whose ids are the keys, with what their approvals need. */
export const targetsOfDeployments = (ids: readonly number[]) => sql`
  target as (
    select d.id as key, p.id as project_id, n.id as node_id, n.traversal_ids as path, environment.name,
      environment.tier::text as tier, d.user_id, d.status = 'blocked' as waits,
      coalesce((p.settings ->> 'allow_pipeline_trigger_approve_deployment')::boolean, false) as may_approve_own
    from deployments d join environments environment on environment.id = d.environment_id
      join projects p on p.id = d.project_id join namespaces n on n.id = p.project_namespace_id
    where d.id = any(${[...ids]}::bigint[]))`

/** The protections of the targets, from the topmost group down to the project; `node` is the namespace that protects. */
export const protections: RawBuilder<unknown> = sql`
  protections as (
    select t.key, pe.id, pe.group_id, pe.required_approval_count, pe.group_id as node,
      array_position(t.path, pe.group_id) as depth
    from target t join protected_environments pe on pe.group_id = any(t.path) and pe.name = t.tier
    union all
    select t.key, pe.id, null, pe.required_approval_count, t.node_id, cardinality(t.path)
    from target t join protected_environments pe on pe.project_id = t.project_id and pe.name = t.name)`

/** Whether a protection, as `pe`, has rules of its own. Without any, those who may deploy approve. */
export const hasRules = sql<boolean>`exists (select from protected_environment_grants r
  where r.protected_environment_id = pe.id and r.purpose = 'approve' and ${isThere('r')})`

/** Whether a protection, as `pe`, lets the user `u` deploy. */
export const letsDeploy = (meaning: (grant: string) => RawBuilder<boolean>) => sql<boolean>`(
  u.state = 'active' and u.admin or exists (select from protected_environment_grants e
    where e.protected_environment_id = pe.id and e.purpose = 'deploy' and ${isThere('e')} and ${meaning('e')}))`
