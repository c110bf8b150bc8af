import { Kysely, PostgresDialect } from 'kysely'
import { type DatabaseAddress, openDb, openPool } from '#platform/db/pool.ts'
import { statement } from '#platform/db/statement.ts'
import type { DB } from '#platform/db/schema.ts'

const RUNS = 3_000

/** CPU microseconds of this process for one run of a 20-row list, after a warm-up. */
async function cost(run: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < 500; count += 1) await run()
  const begun = process.cpuUsage()
  for (let count = 0; count < RUNS; count += 1) await run()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / RUNS
}

/** What one list of 20 notes costs by each way to send it, in CPU microseconds. */
export async function driverCosts(
  address: DatabaseAddress,
): Promise<Record<'raw' | 'prepared' | 'ours' | 'stock', number>> {
  const pool = openPool(address, 2)
  const ours = openDb(pool)
  const stock = new Kysely<DB>({ dialect: new PostgresDialect({ pool: openPool(address, 2) }) })
  const list = (db: Kysely<DB>) =>
    db
      .selectFrom('notes as x')
      .innerJoin('users as u', 'u.id', 'x.author_id')
      .selectAll('x')
      .select(['u.username', 'u.name', 'u.state'])
      .where('x.noteable_id', '=', 1)
      .orderBy('x.created_at')
      .limit(20)
  const { sql: text, parameters } = list(ours).compile()
  const fixed = statement({ name: 'bench', build: () => list(ours) })
  const costs = {
    raw: await cost(() => pool.query({ name: 'raw', text, values: [...parameters] })),
    prepared: await cost(() => fixed(ours, {})),
    ours: await cost(() => list(ours).execute()),
    stock: await cost(() => list(stock).execute()),
  }
  await stock.destroy()
  await ours.destroy()
  return costs
}
