import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { openPool } from '#platform/db/pool.ts'
import { folder, lines, query, start } from './helpers.ts'

/** Clusters that are copied from one that an ephemeral start has prepared. */

/** A template in a folder of its own, and how often it was prepared. */
function templateIn(path: string, prepare = prepared) {
  const counted = { times: 0 }
  const template = {
    folder: join(path, 'cluster-one'),
    prepare: async (address: DatabaseAddress) => {
      counted.times += 1
      await prepare(address)
    },
  }
  return { template, counted, options: { template: () => template } }
}

async function prepared(address: DatabaseAddress): Promise<void> {
  const pool = openPool(address, 1)
  await pool.query('create table things (id integer primary key)')
  await pool.end()
}

const tables = `select relname, pg_get_userbyid(relowner) as owner from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r'`

test('an ephemeral start keeps a template, which later starts copy; each has a key and a password of its own', async () => {
  const kept = folder()
  const { template, counted, options } = templateIn(kept)
  mkdirSync(join(kept, 'cluster-of-an-earlier-version'))
  const first = await start(folder(), { ...options, ephemeral: true })
  expect(counted.times).toBe(1)
  expect(readdirSync(kept)).toEqual(['cluster-one'])
  expect(statSync(template.folder).mode & 0o022).toBe(0)

  const dataDir = folder()
  const second = await start(dataDir, options)
  for (const { connection } of [first, second]) {
    expect(await query(connection, tables)).toEqual([{ relname: 'things', owner: 'forgelet_app' }])
  }
  expect(counted.times).toBe(1)
  expect(second.connection.password).not.toBe(first.connection.password)
  await expect(
    query({ ...second.connection, password: first.connection.password }, 'select 1'),
  ).rejects.toMatchObject({ code: '28P01' })
  // It is on disk when the start is done.
  expect(readdirSync(dataDir).filter((name) => name.startsWith('postgresql.init-'))).toEqual([])
  // What PostgreSQL reads is for its account alone, as if initdb had made it.
  for (const file of ['PG_VERSION', 'base/1/PG_VERSION', 'global/pg_control'])
    expect(statSync(join(dataDir, 'postgresql', file)).mode & 0o077).toBe(0)
  expect(readFileSync(join(dataDir, 'postgresql', 'pg_hba.conf'), 'utf8')).not.toMatch(/\btrust\b/)

  await query(second.connection, 'insert into things values (1)')
  await second.stop()
  const again = await start(dataDir, options)
  expect(await query(again.connection, 'select id from things')).toEqual([{ id: 1 }])
})

test('a closed data folder, which another account of PostgreSQL uses, is copied into as well', async () => {
  const { options, counted } = templateIn(folder())
  await (await start(folder(), { ...options, ephemeral: true })).stop()
  const { connection } = await start(folder({ mode: 0o700 }), options)
  expect(await query(connection, tables)).toHaveLength(1)
  expect(counted.times).toBe(1)
})

test('a durable start makes no template, which would keep whoever waits for it', async () => {
  const kept = folder()
  const { options, counted } = templateIn(kept)
  await start(folder(), options)
  expect([counted.times, readdirSync(kept)]).toEqual([0, []])
})

test('a template that cannot be made is done without; one that is no cluster is made anew', async () => {
  const failing = templateIn(folder(), async () => Promise.reject(new Error('no schema today')))
  const { log, text } = lines()
  const { connection } = await start(folder(), { ...failing.options, ephemeral: true, log })
  expect(await query(connection, tables)).toEqual([])
  expect(existsSync(failing.template.folder)).toBe(false)
  expect(text()).toContain('info no template: no schema today')

  const broken = templateIn(folder())
  mkdirSync(broken.template.folder, { mode: 0o700 })
  writeFileSync(join(broken.template.folder, 'PG_VERSION'), '18\n')
  const other = await start(folder(), { ...broken.options, ephemeral: true, log })
  expect(await query(other.connection, tables)).toHaveLength(1)
  expect(existsSync(join(broken.template.folder, 'global/pg_control'))).toBe(true)
})
