import type { SealedColumn } from '#platform/key-ring/key-ring.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** What values of variables of single jobs are sealed under. */
export const SEALED_AS = 'job variable'

export const sealedJobVariables: SealedColumn = {
  table: 'ci_job_variables',
  column: 'value',
  name: SEALED_AS,
}

/** Keeps the variables that somebody started a job with, in the place of those of before. */
export async function keepJobVariables(
  tx: Tx,
  jobId: number,
  variables: readonly { readonly key: string; readonly value: Buffer }[],
): Promise<void> {
  await tx.db.deleteFrom('ci_job_variables').where('job_id', '=', jobId).execute()
  const byKey = new Map(variables.map((one) => [one.key, one]))
  if (byKey.size === 0) return
  await tx.db
    .insertInto('ci_job_variables')
    .values([...byKey.values()].map((one) => ({ ...one, job_id: jobId })))
    .execute()
}
