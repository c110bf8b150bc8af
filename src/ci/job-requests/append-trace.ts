import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { addToLog, MOST_BYTES, sizeOfLog } from '../logs/append-log.ts'
import { Mask, type MaskedPart } from './mask.ts'
import type { RunningJob } from './running-job.ts'
import { openForJob, sealForJob } from './seal-for-job.ts'

/** What became of a part of a log. */
export interface AppendedTrace {
  /** Bytes that have come of the log. */
  readonly size: number
  readonly outcome: 'added' | 'other place' | 'too long' | 'ended'
}

interface Held {
  readonly masked: Buffer | null
  readonly held_back: Buffer | null
}

const NOTHING = Buffer.alloc(0)

/**
 * Adds a part to the log of a running job, without its secrets. Bytes that may be the beginning of a secret are held back until it is known.
 * @param start where the part begins, as its runner counts
 */
export function appendTrace(
  services: JobServices,
  job: Pick<RunningJob, 'id' | 'token'>,
  start: number,
  bytes: Buffer,
): Promise<AppendedTrace> {
  return transact(services, { author: null, ip: null }, async (tx) => {
    const held = await lockRunning(tx, job)
    if (held === undefined) return { size: 0, outcome: 'ended' }
    const before = held.held_back === null ? NOTHING : openForJob(job.token, held.held_back)
    const stored = await sizeOfLog(tx.db, job.id)
    const size = stored + before.length
    if (start !== size) return { size, outcome: 'other place' }
    const isTooLong = size + bytes.length > MOST_BYTES
    const { shown, heldBack } = await maskInTurns(maskOf(job.token, held), before, bytes, isTooLong)
    await addToLog(tx, job.id, stored, shown)
    if (!heldBack.equals(before)) await keepHeldBack(tx, job, heldBack)
    return { size: size + bytes.length, outcome: isTooLong ? 'too long' : 'added' }
  })
}

/** Bytes that are masked before others have their turn: some milliseconds. */
const TURN = 256 * 1024

/** Masks a part of a log, however long it is, as {@link Mask.part} does. */
async function maskInTurns(mask: Mask, before: Buffer, bytes: Buffer, isLast: boolean): Promise<MaskedPart> {
  const shown: Buffer[] = []
  let heldBack = before
  for (let at = 0; at < bytes.length; at += TURN) {
    if (at > 0) await setImmediate()
    const part = mask.part(heldBack, bytes.subarray(at, at + TURN), isLast && at + TURN >= bytes.length)
    shown.push(part.shown)
    heldBack = part.heldBack
  }
  return { shown: Buffer.concat(shown), heldBack }
}

/** Adds what was held back of the log of a job that is about to end. @returns the bytes of the log; undefined where the job has ended */
export function flushTrace(
  services: JobServices,
  job: Pick<RunningJob, 'id' | 'token'>,
): Promise<number | undefined> {
  return transact(services, { author: null, ip: null }, async (tx) => {
    const held = await lockRunning(tx, job)
    if (held === undefined) return undefined
    const stored = await sizeOfLog(tx.db, job.id)
    if (held.held_back === null) return stored
    const before = openForJob(job.token, held.held_back)
    await addToLog(tx, job.id, stored, maskOf(job.token, held).part(before, NOTHING, true).shown)
    await keepHeldBack(tx, job, NOTHING)
    return stored + before.length
  })
}

/** Notes that the runner of a job says that it still runs. @returns whether it does */
export const noteWord = (services: JobServices, job: Pick<RunningJob, 'id' | 'token'>): Promise<boolean> =>
  transact(services, { author: null, ip: null }, async (tx) => (await lockRunning(tx, job)) !== undefined)

/** Notes that the runner of a job was heard of, and locks the row against its end and against other parts of its log. */
async function lockRunning(
  tx: Tx,
  { id, token }: Pick<RunningJob, 'id' | 'token'>,
): Promise<Held | undefined> {
  const { rows } = await sql<Held>`
    update ci_running_jobs set contacted_at = ${tx.now} where job_id = ${id} and token_digest = ${digestOf(token)}
      returning masked, held_back`.execute(tx.db)
  return rows[0]
}

const keepHeldBack = (tx: Tx, { id, token }: Pick<RunningJob, 'id' | 'token'>, heldBack: Buffer) =>
  tx.db
    .updateTable('ci_running_jobs')
    .set({ held_back: heldBack.length === 0 ? null : sealForJob(token, heldBack) })
    .where('job_id', '=', id)
    .execute()

function maskOf(token: string, { masked }: Held): Mask {
  if (masked === null) return new Mask([token])
  const secrets: unknown = JSON.parse(openForJob(token, masked).toString('utf8'))
  return new Mask(Array.isArray(secrets) ? secrets.filter((one) => typeof one === 'string') : [token])
}
