import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { WrongMasterKey } from '#platform/db/secrets.ts'
import { startServer } from '#server.ts'
import { folder, query, start, until } from './helpers.ts'

/** Who gets into the embedded PostgreSQL, besides those whom its folders keep away. */

const KEY = 'a master key for the tests of the database'
const OTHER = 'another master key, as long as the first one'

type Connection = Parameters<typeof query>[0]

/** Why a connection is refused: the code of the error, undefined when it is not. */
async function refusal(connection: Partial<Connection>): Promise<string | undefined> {
  const client = new Client(connection)
  client.on('error', () => {})
  return client.connect().then(
    () => client.end().then(() => undefined),
    (error: Error & { code?: string }) => error.code ?? error.message,
  )
}

describe('a new cluster', () => {
  test('lets in the role of the program alone, with its password', async () => {
    const { connection } = await start(folder(), { secretKey: KEY })
    expect(await refusal(connection)).toBeUndefined()
    const { password: _, ...without } = connection
    await until(async () => (await refusal({ ...without, user: 'forgelet' })) === '28000')
    expect(await refusal({ ...connection, user: 'forgelet' })).toBe('28000')
    expect(await refusal({ ...connection, password: 'guessed' })).toBe('28P01')
    expect(await refusal(without)).toMatch(/password must be a string/)
  })

  test('gives the program its database and nothing of the superuser', async () => {
    const { connection } = await start(folder(), { secretKey: KEY })
    expect(
      await query(
        connection,
        `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, d.datname
          from pg_roles r join pg_database d on d.datdba = r.oid where rolname = current_user`,
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        datname: 'forgelet',
      },
    ])
    for (const forbidden of [
      "copy (select 1) to program 'true'",
      "select pg_read_file('/etc/passwd')",
      "create function f() returns void language c as 'evil'",
      "alter system set log_statement = 'all'",
      'set session_replication_role = replica',
      'create role more',
    ]) {
      await expect(query(connection, forbidden)).rejects.toThrow(
        /permission denied|must be superuser|Only roles/,
      )
    }
  })

  test('has a password that follows from the master key, also when that is made', async () => {
    const made = folder()
    const first = await start(made)
    const key = readFileSync(join(made, 'secret.key'), 'utf8').trim()
    const second = await start(folder(), { secretKey: key })
    expect(second.connection.password).toBe(first.connection.password)
    const other = await start(folder(), { secretKey: KEY })
    expect(other.connection.password).not.toBe(first.connection.password)
  })
})

describe('a cluster that is there', () => {
  test('opens with its key, and is refused with another one or none before anything is made', async () => {
    const data = folder()
    const first = await start(data, { secretKey: KEY })
    await query(first.connection, 'create table kept as select 42 as answer')
    await first.stop()
    await expect(start(data, { secretKey: OTHER })).rejects.toThrow(/another one was given/)
    await expect(start(data)).rejects.toThrow(WrongMasterKey)
    expect(existsSync(join(data, 'secret.key'))).toBe(false)
    const again = await start(data, { secretKey: KEY })
    expect(await query(again.connection, 'select answer from kept')).toEqual([{ answer: 42 }])
  })
})

/** Turns a cluster into one of an older version: everything belongs to the superuser, whom anybody may be. */
async function age(data: string): Promise<void> {
  const database = await start(data, { secretKey: KEY })
  writeFileSync(join(data, 'postgresql/pg_hba.conf'), 'local all all trust\n')
  const postmaster = database.pid()
  if (postmaster === undefined) throw new Error('PostgreSQL does not run')
  process.kill(postmaster, 'SIGHUP')
  const { host, port } = database.connection
  const superuser = { host, port, user: 'forgelet', password: '', database: 'forgelet' }
  await until(async () => (await refusal(superuser)) === undefined)
  await query(
    superuser,
    `reassign owned by forgelet_app to forgelet; alter database forgelet owner to forgelet;
      drop owned by forgelet_app; drop role forgelet_app`,
  )
  await database.stop()
}

test('a data folder of an older version is closed at its next start, with everything in it', async () => {
  const data = folder()
  const config = readConfig({ FORGELET_DATA: data, FORGELET_PORT: '0', FORGELET_SECRET_KEY: KEY })
  const options = { config, log: pino({ level: 'silent' }), withPassword: false }
  const before = await startServer(options)
  await before.stop()
  await age(data)

  // With another key nothing is changed: the cluster stays as it was.
  const wrong = readConfig({ FORGELET_DATA: data, FORGELET_PORT: '0', FORGELET_SECRET_KEY: OTHER })
  await expect(startServer({ ...options, config: wrong })).rejects.toThrow(/another one was given/)
  expect(readFileSync(join(data, 'postgresql/pg_hba.conf'), 'utf8')).toContain('trust')

  const after = await startServer(options)
  try {
    expect(readFileSync(join(data, 'postgresql/pg_hba.conf'), 'utf8')).not.toContain('trust')
    const address = after.services.pool.options
    expect(await query(address as Connection, foreign)).toEqual([])
    const { host, port, database } = address as Connection
    await until(async () => (await refusal({ host, port, database, user: 'forgelet' })) === '28000')
    expect((await fetch(`${after.url}/-/readiness`)).status).toBe(200)
  } finally {
    await after.stop()
  }
}, 180_000)

/** What does not belong to the program, outside of PostgreSQL's own schemas. */
const foreign = `
  select 'relation' as kind, relname::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relowner <> (select oid from pg_roles where rolname = current_user)
      and nspname !~ '^pg_' and nspname <> 'information_schema'
  union all
  select 'routine', proname::text from pg_proc p join pg_namespace n on n.oid = pronamespace
    where proowner <> (select oid from pg_roles where rolname = current_user)
      and nspname !~ '^pg_' and nspname <> 'information_schema'
  union all
  select 'type', typname::text from pg_type t join pg_namespace n on n.oid = typnamespace
    where typowner <> (select oid from pg_roles where rolname = current_user)
      and nspname !~ '^pg_' and nspname <> 'information_schema'`
