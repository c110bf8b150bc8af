import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { acceptsGroupRunners, acceptsInstanceRunners } from '../runners/serving.ts'
import type { EngineJob } from './rows.ts'

/** Where PostgreSQL tells of jobs that wait for a runner, once their transaction has committed. */
export const QUEUE_CHANNEL = 'forgelet_ci_queue'

const ids = Type.Array(Type.Integer())

/** What is told of jobs of one pipeline: as much as decides which runners look for them. */
const WaitingJobs = Type.Object({
  project: Type.Integer(),
  /** The namespaces from the root group down to the project. */
  nodes: ids,
  /** Whether the project lets runners of the instance, and of groups, take jobs. */
  instance: Type.Boolean(),
  groups: Type.Boolean(),
  /** The jobs, or the first of them. */
  jobs: ids,
  count: Type.Integer(),
  /** The different sets of tags that they have; null where those are too long to be told. */
  tags: Type.Union([Type.Null(), Type.Array(Type.Array(Type.String()))]),
})
export type WaitingJobs = Static<typeof WaitingJobs>

/** Reads what was told; undefined for something else. */
export function readTold(payload: string): WaitingJobs | undefined {
  try {
    const told: unknown = JSON.parse(payload)
    return Check(WaitingJobs, told) ? told : undefined
  } catch {
    return undefined
  }
}

/** Jobs whose ids are told. */
const MOST_IDS = 20
/** PostgreSQL tells at most 8,000 bytes. */
const MOST_CHARACTERS = 1_500

/** Tells the processes in which runners wait about jobs that have become pending. Call it when the jobs are written. */
export async function tellRunners(tx: Tx, pipelineId: number, jobs: readonly EngineJob[]): Promise<void> {
  const waiting = jobs.flatMap(({ id, bridge, status }) => (!bridge && status === 'pending' ? [id] : []))
  if (waiting.length === 0) return
  await sql`
    select pg_notify(${sql.lit(QUEUE_CHANNEL)}, json_build_object('project', p.id, 'nodes', n.traversal_ids,
        'instance', ${acceptsInstanceRunners}, 'groups', ${acceptsGroupRunners},
        'jobs', ${JSON.stringify(waiting.slice(0, MOST_IDS))}::json, 'count', ${waiting.length}::integer,
        'tags', case when length(t.tags::text) <= ${MOST_CHARACTERS} then t.tags end)::text)
      from pipelines i join projects p on p.id = i.project_id join namespaces n on n.id = p.project_namespace_id,
        lateral (select json_agg(distinct to_jsonb(j.tags)) as tags from ci_jobs j where ${isAnyOf('j.id', waiting)}) as t
      where i.id = ${pipelineId}`.execute(tx.db)
}
