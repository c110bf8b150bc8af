import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { EngineJob } from './rows.ts'

/** Where PostgreSQL tells of jobs that wait for a runner, once their transaction has committed. */
export const QUEUE_CHANNEL = 'forgelet_ci_queue'

/** What is told of jobs of one pipeline: as much as decides which runners look for them. */
export interface WaitingJobs {
  readonly project: number
  /** The namespaces from the root group down to the project. */
  readonly nodes: readonly number[]
  /** Whether the project lets runners of the instance, and of groups, take jobs. */
  readonly instance: boolean
  readonly groups: boolean
  /** The jobs, or the first of them. */
  readonly jobs: readonly number[]
  readonly count: number
  /** The different sets of tags that they have; null where those are too long to be told. */
  readonly tags: readonly (readonly string[])[] | null
}

/** Jobs whose ids are told. */
const MOST_IDS = 20
/** PostgreSQL tells at most 8,000 bytes. */
const MOST_CHARACTERS = 1_500

/** Tells the processes in which runners wait about jobs that have become pending. Call it when the jobs are written. */
export async function tellRunners(tx: Tx, pipelineId: number, jobs: readonly EngineJob[]): Promise<void> {
  const ids = jobs.flatMap(({ id, bridge, status }) => (!bridge && status === 'pending' ? [id] : []))
  if (ids.length === 0) return
  await sql`
    select pg_notify(${sql.lit(QUEUE_CHANNEL)}, json_build_object('project', p.id, 'nodes', n.traversal_ids,
        'instance', coalesce(p.settings ->> 'shared_runners_enabled', 'true') <> 'false',
        'groups', coalesce(p.settings ->> 'group_runners_enabled', 'true') <> 'false',
        'jobs', ${JSON.stringify(ids.slice(0, MOST_IDS))}::json, 'count', ${ids.length}::integer,
        'tags', case when length(t.tags::text) <= ${MOST_CHARACTERS} then t.tags end)::text)
      from pipelines i join projects p on p.id = i.project_id join namespaces n on n.id = p.project_namespace_id,
        lateral (select json_agg(distinct to_jsonb(j.tags)) as tags from ci_jobs j where ${isAnyOf('j.id', ids)}) as t
      where i.id = ${pipelineId}`.execute(tx.db)
}
