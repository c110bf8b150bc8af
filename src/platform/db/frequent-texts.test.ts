import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { FrequentTexts } from './frequent-texts.ts'

const sent = (texts: FrequentTexts, text: string, times: number) =>
  Array.from({ length: times }, () => texts.isFrequent(text)).at(-1)

test('a text is frequent once it was sent twenty times', () => {
  const texts = new FrequentTexts()
  expect(sent(texts, 'select 1', 19)).toBe(false)
  expect(sent(texts, 'select 1', 1)).toBe(true)
  expect(sent(texts, 'select 2', 1)).toBe(false)
})

test('long texts never are', () => {
  expect(sent(new FrequentTexts(), 'x'.repeat(12_001), 100)).toBe(false)
})

test('no more than 250 are, whoever causes them', () => {
  const texts = new FrequentTexts()
  const named = Array.from({ length: 400 }, (_, n) => sent(texts, `select ${n}`, 20)).filter(Boolean)
  expect(named).toHaveLength(250)
  expect(sent(texts, 'select 0', 1)).toBe(true)
})

test('rare texts are forgotten, so that they cost no memory', () => {
  const texts = new FrequentTexts()
  sent(texts, 'select', 19)
  for (let n = 0; n < 1_000; n += 1) texts.isFrequent(`select ${n}`)
  expect(sent(texts, 'select', 1)).toBe(false)
})

test('after a change of what a kept statement returns, nobody notices', async () => {
  const name = `frequent_${Date.now()}`
  const { pool } = w.running.services
  await pool.query(`create table ${name} (id bigint); insert into ${name} values (1)`)
  const rows = () =>
    w.running.services.db
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table exists in this test alone
      .selectFrom(name as 'projects')
      .selectAll()
      .execute()
  for (let n = 0; n < 40; n += 1) expect(await rows()).toEqual([{ id: 1 }])
  await pool.query(`alter table ${name} add other text default 'x'`)
  for (let n = 0; n < 40; n += 1) expect(await rows()).toEqual([{ id: 1, other: 'x' }])
  await pool.query(`drop table ${name}`)
})
