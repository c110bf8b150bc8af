import { sql } from 'kysely'
import type { Consumer } from '#platform/facts/fact.ts'
import { addedJob } from '#platform/jobs/added-job.ts'
import { payloadKinds, payloadKindOf } from './payloads/kinds.ts'
import { DISABLED_AFTER } from './failures.ts'
import { PREPARE, SHARDS } from './shards.ts'

/**
 * Keeps the facts that hooks want, and adds the job that makes deliveries of them. Where no hook wants a fact, this looks
 * into one index and writes nothing. `hook_seen` reads what may be gone, or have another name, when the job makes the
 * payload. It also reads whether an item is confidential now, because nobody may learn more later.
 */
export const consumeForHooks: Consumer = {
  name: 'for_hooks',
  facts: () => payloadKinds.flatMap(({ facts }) => facts),
  rows(fact, { now, author }) {
    const interestedHooks = payloadKindOf.get(fact.name)?.interestedHooks(fact)
    if (interestedHooks === undefined) return []
    const { triggers, system } = interestedHooks
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
    select f.shard, f.name, f.at, f.actor_id, f.namespace_id, f.chain, f.target_type, f.target_id, f.details,
      hook_seen(f.target_type, f.target_id),
      case when row_number() over (partition by f.shard order by f.position) = 1 then
        ${addedJob(sql`${sql.lit(PREPARE)}`, sql`json_build_object('shard', f.shard)`)} end
    from (
      select g.name, g.at, g.actor_id, g.namespace_id, g.target_type, g.target_id, g.details, g.position,
        coalesce(n.traversal_ids, '{}') as chain,
        (coalesce(n.traversal_ids[1], 0) % ${sql.lit(SHARDS)})::integer as shard
      from rows from (jsonb_to_recordset(${rows}) as (name text, at timestamptz, actor_id bigint, namespace_id bigint,
          target_type text, target_id bigint, details jsonb, triggers text[], system text))
        with ordinality as g (name, at, actor_id, namespace_id, target_type, target_id, details, triggers, system, position)
      -- One look-up for each fact: a join might read all namespaces of a small instance.
      left join lateral (select o.traversal_ids from namespaces o where o.id = g.namespace_id limit 1) n on true
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
