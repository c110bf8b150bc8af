import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { w } from '#test/world.ts'
import { uniqueValues } from './unique-values.ts'

describe('the values that no two rows share', () => {
  it('are named as the unique indexes of the schema are', async () => {
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index where indisunique`.execute(w.db)
    const indexes = new Set(rows.map(({ name }) => name))
    expect([...uniqueValues().keys()].filter((name) => !indexes.has(name))).toEqual([])
  })
})
