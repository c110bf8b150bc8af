import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { acceptsGroupRunners, acceptsInstanceRunners } from '../runners/serving.ts'
import type { AskingRunner } from './asking-runner.ts'

/** A job that a runner may have. */
export interface Candidate {
  readonly id: number
  readonly project_id: number
}

/** What distinguishes the jobs that a runner may have. */
type Choosing = Pick<
  AskingRunner,
  'id' | 'runner_type' | 'group_namespace_id' | 'run_untagged' | 'access_level' | 'tags'
>

/** A place in the index of waiting jobs, behind which a search goes on. */
export interface QueuePosition {
  readonly project_id: number
  readonly ref_protected: boolean
  /** A number beyond those that are exact here. */
  readonly key: string
}

/** Where a search begins. */
export const BEGINNING: QueuePosition = { project_id: 0, ref_protected: false, key: '0' }

/** What a search found. */
export interface Choice {
  readonly candidates: readonly Candidate[]
  /** Where it ended, if it did not come to the end of the queue. */
  readonly end: QueuePosition | undefined
}

/** Kinds of jobs that one search looks at: it costs milliseconds, however many projects wait. */
export const MOST_SEEN = 250
/** Kinds of jobs that candidates come from, and candidates of each: others may take some of them at the same moment. */
const MOST_KINDS = 5
const MOST_OF_ONE = 20

const waits = sql`j.status = 'pending' and not j.bridge`
/** Jobs of one project with the same key want the same of a runner. As the index ci_jobs_queue has it. */
const key = sql`hash_array_extended(j.tags || ''::text || j.needed_features, 0)`
const columns = sql`j.project_id, j.ref_protected, ${key} as key, j.queued_at, j.id, j.tags, j.needed_features`
const inOrder = sql`order by j.project_id, j.ref_protected, ${key}, j.queued_at, j.id limit 1`

/**
 * The oldest job of each kind and project that waits: one look at an index for each, however many jobs there are. A runner for projects
 * looks at its own projects, others at all that have jobs.
 */
function kinds({ id, runner_type }: Choosing, from: QueuePosition): RawBuilder<unknown> {
  const next = sql`
    select n.project_id, n.ref_protected, n.key, n.queued_at, n.id, n.tags, n.needed_features from kinds k cross join lateral (
      select ${columns} from ci_jobs j where ${waits}`
  if (runner_type === 'project_type')
    return sql`
      (select f.project_id, f.ref_protected, f.key, f.queued_at, f.id, f.tags, f.needed_features
        from ci_runner_projects r cross join lateral (
          select ${columns} from ci_jobs j where ${waits} and j.project_id = r.project_id ${inOrder}) as f
        where r.runner_id = ${id})
      union all
      ${next} and j.project_id = k.project_id and (j.ref_protected, ${key}) > (k.ref_protected, k.key) ${inOrder}) as n`
  const { project_id, ref_protected, key: after } = from
  return sql`
    (select ${columns} from ci_jobs j
      where ${waits} and (j.project_id, j.ref_protected, ${key}) > (${project_id}::bigint, ${ref_protected}::boolean, ${after}::bigint)
      ${inOrder})
    union all
    ${next} and (j.project_id, j.ref_protected, ${key}) > (k.project_id, k.ref_protected, k.key) ${inOrder}) as n`
}

/** Whether a runner serves the project `p` with the namespace `n`. */
function serves({ runner_type, group_namespace_id }: Choosing): RawBuilder<unknown> {
  if (runner_type === 'instance_type') return acceptsInstanceRunners
  if (runner_type === 'project_type') return sql`true`
  return sql`n.traversal_ids @> array[${group_namespace_id}::bigint] and ${acceptsGroupRunners}`
}

/** The kinds of jobs that a runner may have, as `served`, of those that are looked at. */
const served = (runner: Choosing, from: QueuePosition): RawBuilder<unknown> => sql`
  kinds as (${kinds(runner, from)}),
  seen as (
    select k.project_id, k.ref_protected, k.key, k.queued_at, k.id, k.tags, k.needed_features from kinds k
      limit ${runner.runner_type === 'project_type' ? MOST_OF_PROJECTS : MOST_SEEN}
  ),
  served as (
    select k.project_id, k.ref_protected, k.key, k.queued_at, k.id, k.needed_features
      from seen k join projects p on p.id = k.project_id join namespaces n on n.id = p.project_namespace_id
      where k.tags <@ ${runner.tags}::text[] and (${runner.run_untagged} or cardinality(k.tags) > 0)
        and (${runner.access_level === 'not_protected'} or k.ref_protected)
        and n.deleted_at is null and ${serves(runner)}
  )`

/** Where a search looks. */
interface Looking {
  /** Where it goes on that found nothing so far. */
  readonly from?: QueuePosition
  /** Jobs that somebody is about to take. */
  readonly not?: readonly number[]
}

/** The same for a runner of projects, whose searches do not go on. */
const MOST_OF_PROJECTS = 5_000

/**
 * Finds the jobs that a runner may have, the first one first: of the projects with waiting jobs that one comes first of which the fewest
 * run on such runners, and then the one with the oldest job.
 */
export async function chooseJobs(
  db: Db,
  runner: Choosing,
  features: readonly string[],
  { from = BEGINNING, not = [] }: Looking = {},
): Promise<Choice> {
  const { rows } = await sql<Found>`
    with recursive ${served(runner, from)}, running as (
      select j.project_id, count(*) as jobs
        from ci_running_jobs r join ci_runners u on u.id = r.runner_id join ci_jobs j on j.id = r.job_id
        where u.runner_type = ${runner.runner_type} group by j.project_id
    ), best as (
      select s.project_id, s.ref_protected, s.key, s.queued_at, s.id, coalesce(r.jobs, 0) as jobs
        from served s left join running r on r.project_id = s.project_id
        where s.needed_features <@ ${features}::text[]
        order by coalesce(r.jobs, 0), s.queued_at, s.id limit ${MOST_KINDS}
    ), candidates as (
      select w.id, b.project_id, row_number() over (order by b.jobs, b.queued_at, b.id, w.queued_at, w.id) as place
        from best b cross join lateral (
          select j.id, j.queued_at from ci_jobs j
            where ${waits} and j.project_id = b.project_id and j.ref_protected = b.ref_protected and ${key} = b.key
              and j.id <> all(${[...not]}::bigint[])
            order by j.queued_at, j.id limit ${MOST_OF_ONE}
        ) as w
    )
    select ${end}, c.id, c.project_id from (select) as one left join candidates c on true order by c.place`.execute(
    db,
  )
  return choiceOf(rows)
}

/** Finds jobs that a runner could have if it could do what they need: the oldest of each kind. */
export async function jobsBeyond(
  db: Db,
  runner: Choosing,
  features: readonly string[],
  from = BEGINNING,
): Promise<Choice> {
  const { rows } = await sql<Found>`
    with recursive ${served(runner, from)}, candidates as (
      select s.id, s.project_id, row_number() over (order by s.queued_at, s.id) as place
        from served s where not s.needed_features <@ ${features}::text[]
        order by s.queued_at, s.id limit ${MOST_OF_ONE}
    )
    select ${end}, c.id, c.project_id from (select) as one left join candidates c on true order by c.place`.execute(
    db,
  )
  return choiceOf(rows)
}

interface Found {
  readonly end: QueuePosition | null
  readonly id: number | null
  readonly project_id: number | null
}

/** The last kind that was looked at, where there may be more. */
const end = sql`(
  select json_build_object('project_id', s.project_id, 'ref_protected', s.ref_protected, 'key', s.key::text) from seen s
    order by s.project_id, s.ref_protected, s.key offset ${sql.lit(MOST_SEEN - 1)} limit 1) as end`

const choiceOf = (rows: readonly Found[]): Choice => ({
  candidates: rows.flatMap(({ id, project_id }) =>
    id === null || project_id === null ? [] : [{ id, project_id }],
  ),
  end: rows[0]?.end ?? undefined,
})
