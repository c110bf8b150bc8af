import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { transact } from '#platform/db/transaction.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { passingReason } from '#platform/db/errors.ts'
import { isPassing, NotFound } from '#platform/refusals.ts'
import { newJobToken, type NewJobToken } from '../job-tokens/job-token.ts'
import { changeJob } from '../jobs/finish-job.ts'
import type { AskingRunner } from './asking-runner.ts'
import { CannotRun } from './errors.ts'
import { jobPayload, type JobPayload } from './job-payload.ts'
import { readJobToGive } from './job-to-give.ts'
import { sealForJob } from './seal-for-job.ts'

/** A runner that asks, with what it said. */
export interface Asking {
  readonly runner: AskingRunner
  readonly features: readonly string[]
  /** What it calls its request by. */
  readonly requestId: string | undefined
}

/** A job that a runner has now. */
export interface GivenJob {
  readonly id: number
  /** What it gets. */
  readonly json: object
}

/**
 * Gives a job to a runner, in one transaction: it runs then, for this runner alone.
 * @returns undefined where somebody else was faster, or the runner may take no jobs any more
 */
export async function giveJob(
  services: JobServices,
  jobId: number,
  asking: Asking,
): Promise<GivenJob | undefined> {
  const job = await readJobToGive(services.db, jobId, 'pending')
  if (job === undefined) return undefined
  const token = newJobToken(services.random)
  const { runner, features } = asking
  try {
    const payload = await jobPayload(services, job, runner, { token: token.secret, features })
    return (await take(services, jobId, asking, token, payload))
      ? { id: jobId, json: payload.json }
      : undefined
  } catch (error) {
    await setAside(services, jobId, error)
    return undefined
  }
}

/**
 * Goes on without a job that could not be given. One that will never be is ended: it would stand before all others.
 * @throws what has nothing to do with the job
 */
async function setAside(services: JobServices, jobId: number, error: unknown): Promise<void> {
  // The job or its project is gone.
  if (error instanceof NotFound) return
  if (passingReason(error) !== undefined) throw error
  if (!(error instanceof CannotRun)) services.log.error({ err: error, job: jobId }, 'a job cannot be given')
  if (isPassing(error)) return
  await failWaiting(services, jobId, error instanceof CannotRun ? error.reason : 'data_integrity_failure')
}

function take(
  services: JobServices,
  jobId: number,
  asking: Asking,
  token: NewJobToken,
  payload: JobPayload,
): Promise<boolean> {
  return transact(services, { author: null, ip: null }, async (tx) => {
    if (!(await mayTake(tx, asking.runner))) return false
    let isTaken = false
    await changeJob(tx, jobId, ({ status }) => {
      isTaken = status === 'pending'
      return isTaken ? { status: 'running' } : undefined
    })
    if (isTaken) await keepTaken(tx, jobId, asking, token, payload)
    return isTaken
  })
}

/** Whether a runner is still there, with the token and settings that it asked with, and not paused. It stays there until the transaction ends. */
async function mayTake(tx: Tx, { id, updated_at }: AskingRunner): Promise<boolean> {
  const runner = await tx.db
    .selectFrom('ci_runners')
    .select('paused')
    .where('id', '=', id)
    .where('updated_at', '=', updated_at)
    .forKeyShare()
    .executeTakeFirst()
  return runner !== undefined && !runner.paused
}

async function keepTaken(
  tx: Tx,
  jobId: number,
  { runner, features, requestId }: Asking,
  token: NewJobToken,
  payload: JobPayload,
): Promise<void> {
  const runner_manager_id = runner.manager?.id ?? null
  await tx.db
    .insertInto('ci_running_jobs')
    .values({
      job_id: jobId,
      runner_id: runner.id,
      runner_manager_id,
      features: [...features],
      request_digest: requestId === undefined ? null : digestOf(requestId),
      ...ofToken(tx, token, payload),
    })
    .execute()
  await tx.db
    .updateTable('ci_jobs')
    .set({ runner_id: runner.id, runner_manager_id, token_digest: token.digest })
    .where('id', '=', jobId)
    .execute()
}

const ofToken = (
  tx: Tx,
  { secret, digest }: NewJobToken,
  { secrets, timeout, dependencyIds }: JobPayload,
) => ({
  token_digest: digest,
  masked: sealForJob(secret, JSON.stringify(secrets)),
  timeout,
  dependency_ids: [...dependencyIds],
  contacted_at: tx.now,
})

/**
 * Gives a runner once more what it was given by a request whose answer was lost: it asks by the same name again. The job has another token
 * then.
 */
export async function giveAgain(services: JobServices, asking: Asking): Promise<GivenJob | undefined> {
  const { runner, features, requestId } = asking
  if (requestId === undefined) return undefined
  const lost = await services.db
    .selectFrom('ci_running_jobs')
    .select(['job_id', 'token_digest'])
    .where('runner_id', '=', runner.id)
    .where('request_digest', '=', digestOf(requestId))
    .executeTakeFirst()
  const job = lost && (await readJobToGive(services.db, lost.job_id, 'running'))
  if (lost === undefined || job === undefined) return undefined
  const token = newJobToken(services.random)
  const payload = await jobPayload(services, job, runner, { token: token.secret, features })
  return transact(services, { author: null, ip: null }, async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('ci_running_jobs')
      .set({ ...ofToken(tx, token, payload), held_back: null })
      .where('job_id', '=', lost.job_id)
      .where('token_digest', '=', lost.token_digest)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return undefined
    await tx.db
      .updateTable('ci_jobs')
      .set({ token_digest: token.digest })
      .where('id', '=', lost.job_id)
      .execute()
    return { id: lost.job_id, json: payload.json }
  })
}

/** Lets a job wait again whose runner left before it could be told of it. */
export const takeBack = (services: JobServices, jobId: number): Promise<void> =>
  transact(services, { author: null, ip: null }, (tx) =>
    changeJob(tx, jobId, ({ status }) => (status === 'running' ? { status: 'pending' } : undefined)),
  )

/** Ends a job that no runner can run. */
export const failWaiting = (services: JobServices, jobId: number, failureReason: string): Promise<void> =>
  transact(services, { author: null, ip: null }, (tx) =>
    changeJob(tx, jobId, ({ status }) =>
      status === 'pending' ? { status: 'failed', failureReason } : undefined,
    ),
  )
