import type { Selectable } from 'kysely'
import type { Db } from '#db/pool.ts'
import type { FeatureSwitches } from '#db/schema.ts'
import type { Tx } from '#db/transaction.ts'

export type SwitchRow = Selectable<FeatureSwitches>

/** The switches that were set, by their names. */
export function readSwitches(db: Db): Promise<SwitchRow[]> {
  return db.selectFrom('feature_switches').selectAll().orderBy('name').execute()
}

/** Locks a switch until the transaction ends; undefined when it was never set. */
export function lockSwitch(tx: Tx, name: string): Promise<SwitchRow | undefined> {
  return tx.db
    .selectFrom('feature_switches')
    .selectAll()
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst()
}
