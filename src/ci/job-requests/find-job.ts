import { sql } from 'kysely'
import type { JobServices } from '#platform/jobs/task.ts'
import { acceptsGroupRunners, acceptsInstanceRunners } from '../runners/serving.ts'
import { BEGINNING, chooseJobs, jobsBeyond } from './choose-jobs.ts'
import { type Asking, failWaiting, type GivenJob, giveJob } from './give-job.ts'
import type { JobQueue } from './job-queue.ts'

/** Parts of the queue that one search looks at: what it does not reach, the next one begins with. */
const MOST_PARTS = 40
/** Jobs that one search tries to take. Others may take each of them first. */
const MOST_TRIES = 30

/** Jobs that this process is about to give: requests of one moment need not all try the same one. */
const claimed = new Set<number>()

/** What a search came to. Without a job, `isEmpty` says whether there is none, or others were faster. */
export type FoundJob = { readonly job: GivenJob } | { readonly job: undefined; readonly isEmpty: boolean }

/** Finds the next job for a runner, and gives it. */
export async function findJob(services: JobServices, queue: JobQueue, asking: Asking): Promise<FoundJob> {
  const { runner, features } = asking
  const isLocal = runner.runner_type === 'project_type'
  let from = isLocal ? BEGINNING : queue.position
  let fromBeginning = from === BEGINNING
  let tries = 0
  for (let part = 0; part < MOST_PARTS && tries < MOST_TRIES; part += 1) {
    const { candidates, end } = await chooseJobs(services.db, runner, features, { from, not: [...claimed] })
    for (const { id } of candidates) {
      if (claimed.has(id) || tries === MOST_TRIES) continue
      tries += 1
      const job = await claim(id, () => giveJob(services, id, asking))
      if (job === undefined) continue
      if (!isLocal) queue.position = end ?? BEGINNING
      return { job }
    }
    // Others took all of these meanwhile: there may be more of the kind.
    if (candidates.length > 0) continue
    if (end === undefined && fromBeginning) {
      if (!isLocal) queue.position = BEGINNING
      return { job: undefined, isEmpty: true }
    }
    if (end === undefined) fromBeginning = true
    from = end ?? BEGINNING
  }
  return { job: undefined, isEmpty: false }
}

async function claim<T>(id: number, work: () => Promise<T>): Promise<T> {
  claimed.add(id)
  try {
    return await work()
  } finally {
    claimed.delete(id)
  }
}

/** Milliseconds without a word after which a runner counts as away. */
const AWAY = 2 * 3600 * 1000

/**
 * Ends jobs that nobody can run: this runner could take them, but for something that they need and no runner can do that has been heard of.
 * @returns how many there were
 */
export async function failUnsupported(services: JobServices, { runner, features }: Asking): Promise<number> {
  const { db, clock } = services
  const { candidates } = await jobsBeyond(db, runner, features)
  const since = new Date(clock.now().getTime() - AWAY).toISOString()
  let failed = 0
  for (const { id } of candidates) {
    const { rows } = await sql<{ id: number }>`
      select r.id from ci_jobs j
          join projects p on p.id = j.project_id join namespaces n on n.id = p.project_namespace_id
          join ci_runners r on r.contacted_at > ${since}::timestamptz and not r.paused
          left join ci_runner_managers m on m.runner_id = r.id and m.contacted_at > ${since}::timestamptz
        where j.id = ${id}
          -- Of one that does not name its managers, nobody knows what it can do.
          and (j.needed_features <@ m.features or (m.id is null and r.id <> ${runner.id}))
          and j.tags <@ r.tags and (r.run_untagged or cardinality(j.tags) > 0)
          and (r.access_level = 'not_protected' or j.ref_protected)
          and case r.runner_type
            when 'instance_type' then ${acceptsInstanceRunners}
            when 'group_type' then n.traversal_ids @> array[r.group_namespace_id] and ${acceptsGroupRunners}
            else exists (select from ci_runner_projects c where c.runner_id = r.id and c.project_id = j.project_id) end
        limit 1`.execute(db)
    if (rows.length > 0) continue
    await failWaiting(services, id, 'runner_unsupported')
    failed += 1
  }
  return failed
}
