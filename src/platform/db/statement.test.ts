import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import type { QueryPlan } from './driver.ts'
import { openDb, openPool } from './pool.ts'
import { type Params, statement, StatementCache } from './statement.ts'
import { openRequestConnections } from './request-connections.ts'

let database: ScratchDatabase

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('a text beyond those that get names is planned as they are, and PostgreSQL keeps nothing of it', async () => {
  const plans: QueryPlan[] = []
  const db = openDb(openPool(database.address, 1), (_, __, plan) => void plans.push(plan))
  const cache = new StatementCache({ name: 'one', max: 1, plan: 'generic' })
  const run = (value: number) => cache.run(db, sql<{ value: number }>`select ${sql.lit(value)} as value`)
  expect([await run(1), await run(2), await run(1)]).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 1 }]])
  expect(plans).toEqual(['generic', 'generic', 'generic'])
  const { rows } = await sql`select name, statement from pg_prepared_statements`.execute(db)
  expect(rows).toEqual([{ name: expect.stringMatching(/^one \d+$/), statement: 'select 1 as value' }])
  await db.destroy()
})

test('the stack of a failed statement leads to the code that asked', async () => {
  const db = openDb(openRequestConnections(database.address, 8))
  const half = statement({
    name: 'half',
    build: (_, param: Params<{ of: number }>) => sql`select 1 / ${param('of')}::integer as part`,
  })
  async function asksForHalf() {
    await half(db, { of: 0 })
  }
  const error: unknown = await asksForHalf().catch((refusal: unknown) => refusal)
  expect(error instanceof Error && error.stack).toMatch(/division by zero[^]*asksForHalf/)
  await db.destroy()
})
