import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import type { Planned } from './driver.ts'
import { openDb, openPool } from './pool.ts'
import { KeptTexts, type Param, prepare } from './prepare.ts'
import { openRequestConnections } from './request-connections.ts'

let database: ScratchDatabase

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('a text beyond those that are kept is planned as they are, and PostgreSQL keeps nothing of it', async () => {
  const planned: Planned[] = []
  const db = openDb(openPool(database.address, 1), (_, __, how) => void planned.push(how))
  const kept = new KeptTexts(1, 'once')
  const run = (value: number) => {
    const query = sql<{ value: number }>`select ${sql.lit(value)} as value`
    return kept.run<{ value: number }>(db, { compile: () => query.compile(db) })
  }
  expect([await run(1), await run(2), await run(1)]).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 1 }]])
  expect(planned).toEqual(['once', 'once', 'once'])
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)
  expect(rows.map(({ statement }) => statement)).toEqual(['select 1 as value'])
  await db.destroy()
})

test('the stack of a failed statement leads to the code that asked', async () => {
  const db = openDb(openRequestConnections(database.address, 8))
  const half = prepare((on: typeof db, param: Param<{ of: number }>) =>
    on.selectNoFrom(sql<number>`1 / ${param('of')}::integer`.as('part')),
  )
  async function asksForHalf() {
    await half(db, { of: 0 })
  }
  const error: unknown = await asksForHalf().catch((refusal: unknown) => refusal)
  expect(error instanceof Error && error.stack).toMatch(/division by zero[^]*asksForHalf/)
  await db.destroy()
})
