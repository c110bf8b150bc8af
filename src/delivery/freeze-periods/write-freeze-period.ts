import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import { checkPeriod, type Period } from './check-period.ts'
import { freezePeriodColumns, type FreezePeriodRow } from './entity.ts'

/** Says when nobody should deploy. @throws 400 for a pattern or time zone that is none */
export async function createFreezePeriod(
  tx: Tx,
  { id, namespace_id }: ProjectContainer,
  { cron_timezone = 'UTC', ...rest }: Omit<Period, 'cron_timezone'> & Partial<Period>,
): Promise<FreezePeriodRow> {
  const { freeze_start, freeze_end } = rest
  const period = { freeze_start, freeze_end, cron_timezone }
  checkPeriod(period)
  await lockParent(tx, namespace_id)
  const made = await tx.db
    .insertInto('freeze_periods')
    .values({ ...period, project_id: id, created_at: tx.now, updated_at: tx.now })
    .returning(freezePeriodColumns)
    .executeTakeFirstOrThrow()
  record(tx, { ...about(namespace_id, made), name: 'freeze period created', details: period })
  return made
}

/**
 * Changes the given attributes that differ and leaves the rest.
 * @param known locked by `lockFreezePeriod`.
 * @throws 400 for a pattern or time zone that is none
 */
export async function updateFreezePeriod(
  tx: Tx,
  namespace: number,
  known: FreezePeriodRow,
  given: Partial<Period>,
): Promise<FreezePeriodRow> {
  const before = periodOf(known)
  const after = { ...before, ...given }
  checkPeriod(after)
  const changes = changesBetween(before, after)
  const fields = Object.keys(changes)
  if (fields.length === 0) return known
  const changed = await tx.db
    .updateTable('freeze_periods')
    .set({ ...after, updated_at: tx.now })
    .where('id', '=', known.id)
    .returning(freezePeriodColumns)
    .executeTakeFirstOrThrow()
  record(tx, { ...about(namespace, known), name: 'freeze period changed', details: { fields, changes } })
  return changed
}

/** @param known locked by `lockFreezePeriod`, for deletion */
export async function deleteFreezePeriod(tx: Tx, namespace: number, known: FreezePeriodRow): Promise<void> {
  await tx.db.deleteFrom('freeze_periods').where('id', '=', known.id).execute()
  record(tx, { ...about(namespace, known), name: 'freeze period deleted', details: periodOf(known) })
}

const about = (namespace: number, { id }: FreezePeriodRow) => ({
  namespace,
  target: { type: 'FreezePeriod', id },
})

const periodOf = ({ freeze_start, freeze_end, cron_timezone }: FreezePeriodRow): Period => ({
  freeze_start,
  freeze_end,
  cron_timezone,
})
