import { sql } from 'kysely'
import type { Consumer } from '#platform/facts/fact.ts'
import { eventKinds, kindOf } from './events/kinds.ts'
import { DISABLED_AFTER } from './failures.ts'
import { PREPARE, SHARDS } from './shards.ts'

/** The confidentiality of what `f` is about: a fact knows it at its moment, and nobody may learn more later. */
const isConfidential = sql`case f.target_type
  when 'Issue' then (select i.confidential from issues i where i.id = f.target_id)
  when 'Note' then (select x.internal or coalesce(i.confidential, false)
    from notes x left join issues i on i.id = x.noteable_id where x.id = f.target_id) end`

/** What may be gone, or have another name, when a job makes the payload. */
const seen = sql`case f.target_type
  when 'Issue' then jsonb_build_object('confidential', ${isConfidential})
  when 'Note' then jsonb_build_object('confidential', ${isConfidential})
  when 'User' then (select jsonb_build_object('name', u.name, 'username', u.username,
      'email', coalesce(u.public_email, '[REDACTED]'), 'state', u.state, 'created_at', u.created_at,
      'updated_at', u.updated_at) from users u where u.id = f.target_id)
  when 'Project' then (select jsonb_build_object('name', o.name, 'path', o.full_path, 'visibility', o.visibility,
      'namespace_id', o.id, 'created_at', o.created_at, 'updated_at', o.updated_at)
    from projects p join namespaces o on o.id = p.project_namespace_id where p.id = f.target_id)
  when 'Group' then (select jsonb_build_object('name', o.name, 'path', o.full_path, 'visibility', o.visibility,
      'namespace_id', o.id, 'created_at', o.created_at, 'updated_at', o.updated_at)
    from namespaces o where o.id = f.target_id) end`

/**
 * Keeps the facts that hooks are to be told of, and adds the job that makes deliveries of them. Where no hook wants a
 * fact, this looks into one index and writes nothing.
 */
export const consumeForHooks: Consumer = {
  name: 'for_hooks',
  facts: () => eventKinds.flatMap(({ facts }) => facts),
  rows(fact, { now, author }) {
    const concern = kindOf.get(fact.name)?.concern(fact)
    if (concern === undefined) return []
    const { triggers, system } = concern
    const { name, namespace, target, details } = fact
    return [
      {
        name,
        at: now,
        actor_id: author?.id ?? null,
        namespace_id: namespace,
        target_type: target?.type ?? null,
        target_id: target?.id ?? null,
        details,
        triggers,
        system,
      },
    ]
  },
  statement: (rows) => sql`
    insert into hook_facts (shard, name, at, actor_id, namespace_id, chain, target_type, target_id, details, seen, job_id)
    select f.shard, f.name, f.at, f.actor_id, f.namespace_id, f.chain, f.target_type, f.target_id, f.details, ${seen},
      case when row_number() over (partition by f.shard order by f.position) = 1 then
        (graphile_worker.add_job(${sql.lit(PREPARE)}, json_build_object('shard', f.shard))).id end
    from (
      select g.name, g.at, g.actor_id, g.namespace_id, g.target_type, g.target_id, g.details, g.position,
        coalesce(n.traversal_ids, '{}') as chain,
        (coalesce(n.traversal_ids[1], 0) % ${sql.lit(SHARDS)})::integer as shard
      from rows from (jsonb_to_recordset(${rows}) as (name text, at timestamptz, actor_id bigint, namespace_id bigint,
          target_type text, target_id bigint, details jsonb, triggers text[], system text))
        with ordinality as g (name, at, actor_id, namespace_id, target_type, target_id, details, triggers, system, position)
      left join namespaces n on n.id = g.namespace_id
      where exists (
          select 1 from hooks h where h.namespace_id = any(n.traversal_ids) and h.triggers && g.triggers
            and h.failures < ${sql.lit(DISABLED_AFTER)})
        or g.system <> 'none' and exists (
          select 1 from hooks h where h.namespace_id is null and h.failures < ${sql.lit(DISABLED_AFTER)}
            and (g.system = 'all' or h.triggers && g.triggers))
      offset 0
    ) as f
    order by f.position`,
}
