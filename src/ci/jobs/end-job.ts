import { buffer } from 'node:stream/consumers'
import { transact } from '#platform/db/transaction.ts'
import { ClientPattern, PatternRefused } from '#platform/client-pattern.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { notFound } from '#platform/refusals.ts'
import { sizeOfLog } from '../logs/append-log.ts'
import { logPieces } from '../logs/read-log.ts'
import { definitionColumn } from './definition.ts'
import { finishJob, type JobEnd } from './finish-job.ts'

/** Bytes at the end of a log in which the coverage is looked for. */
const LOOKED_AT = 1024 * 1024

/**
 * Ends a job as {@link finishJob} does, with the coverage that the job's expression finds in its log.
 * @throws 400 for a job that is neither pending nor running; 404 when it is gone
 */
export async function endJob(services: JobServices, jobId: number, end: JobEnd): Promise<void> {
  const coverage = end.coverage ?? (await coverageInLog(services, jobId))
  await transact(services, { author: null, ip: null }, (tx) =>
    finishJob(tx, jobId, { ...end, ...(coverage !== undefined && { coverage }) }),
  )
}

/** The coverage that the expression of a job finds in its log; undefined where it has none or finds none. @throws 404 when the job is gone */
export async function coverageInLog({ db }: JobServices, jobId: number): Promise<number | undefined> {
  const { definition } = await db
    .selectFrom('ci_jobs as j')
    .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
    .select(definitionColumn.as('definition'))
    .where('j.id', '=', jobId)
    .executeTakeFirstOrThrow(() => notFound())
  if (definition.coverage === undefined) return undefined
  const end = await sizeOfLog(db, jobId)
  const log = await buffer(logPieces(db, jobId, { start: Math.max(0, end - LOOKED_AT), end }))
  return coverageIn(log.toString('utf8'), definition.coverage)
}

/**
 * The coverage in percent that an expression between slashes finds in a text: in its last line that matches, the last number.
 * @returns undefined where nothing matches
 */
export function coverageIn(text: string, expression: string): number | undefined {
  let pattern: ClientPattern
  try {
    pattern = new ClientPattern(`^(?P<all>.*?(?:${expression.replaceAll(/^\/|\/$/g, '')}).*)$`)
  } catch (error) {
    if (error instanceof PatternRefused) return undefined
    throw error
  }
  const line = text
    .split('\n')
    .slice(-10_000)
    .findLast((one) => pattern.finds(one.slice(0, 2_000)))
  const numbers = line?.match(/\d+(?:\.\d+)?/g)
  const last = Number(numbers?.at(-1))
  return Number.isFinite(last) && last <= 100 ? last : undefined
}
