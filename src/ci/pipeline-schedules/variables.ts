import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'
import { invalid, notFound, taken } from '#platform/refusals.ts'
import { assertBelow } from '../assert-below.ts'

const SEALED_AS = 'pipeline schedule variable'

export const sealedScheduleVariables: SealedColumn = {
  table: 'pipeline_schedule_variables',
  column: 'value',
  name: SEALED_AS,
}

interface Services {
  readonly db: Db
  readonly secrets: Secrets
}

export interface ScheduleVariable {
  readonly key: string
  readonly value: string
  readonly variable_type: 'env_var' | 'file'
  readonly raw: boolean
}

export async function variablesOf(services: Services, scheduleId: number): Promise<ScheduleVariable[]> {
  const rows = await services.db
    .selectFrom('pipeline_schedule_variables')
    .select(['key', 'value', 'variable_type', 'raw'])
    .where('schedule_id', '=', scheduleId)
    .orderBy('key')
    .execute()
  const ring = keyRing(services)
  return Promise.all(rows.map(async (row) => ({ ...row, value: await ring.open(SEALED_AS, row.value) })))
}

/** @throws 404 `Variable Not Found` */
export async function variableOf(
  services: Services,
  scheduleId: number,
  key: string,
): Promise<ScheduleVariable> {
  const found = (await variablesOf(services, scheduleId)).find((one) => one.key === key)
  if (found === undefined) throw notFound('Variable')
  return found
}

export const sealValue = (services: Services, value: string): Promise<Buffer> =>
  keyRing(services).seal(SEALED_AS, value)

interface SealedVariable {
  readonly key: string
  readonly sealed: Buffer
  readonly variable_type?: 'env_var' | 'file' | undefined
}

/** Adds a variable to a locked schedule. @param most of one schedule @throws 400 for a key that is no name or taken, and past the maximum */
export async function addVariable(
  tx: Tx,
  scheduleId: number,
  { key, sealed, variable_type = 'env_var' }: SealedVariable,
  most: number,
): Promise<void> {
  if (!/^\w+$/.test(key)) throw invalid({ key: ["can contain only letters, digits and '_'."] })
  const known = await tx.db
    .selectFrom('pipeline_schedule_variables')
    .select('key')
    .where('schedule_id', '=', scheduleId)
    .execute()
  if (known.some((one) => one.key === key)) throw taken('key')
  assertBelow(most, known.length, 'variables')
  await tx.db
    .insertInto('pipeline_schedule_variables')
    .values({ schedule_id: scheduleId, key, value: sealed, variable_type })
    .execute()
}

/** Changes a variable of a locked schedule. @throws 404 `Variable Not Found` */
export async function changeVariable(
  tx: Tx,
  scheduleId: number,
  { key, sealed, variable_type }: Partial<SealedVariable> & { readonly key: string },
): Promise<void> {
  const changed = await tx.db
    .updateTable('pipeline_schedule_variables')
    .set((is) => ({
      value: sealed ?? is.ref('value'),
      variable_type: variable_type ?? is.ref('variable_type'),
    }))
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) throw notFound('Variable')
}

/** Deletes a variable of a locked schedule. @throws 404 `Variable Not Found` */
export async function removeVariable(tx: Tx, scheduleId: number, key: string): Promise<void> {
  const removed = await tx.db
    .deleteFrom('pipeline_schedule_variables')
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returning('id')
    .executeTakeFirst()
  if (removed === undefined) throw notFound('Variable')
}
