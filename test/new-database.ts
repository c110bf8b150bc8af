import { inject } from 'vitest'
import { openPool } from '#db/pool.ts'

let serial = 0

/** A database of its own, cloned from the migrated template with the administrator in it. */
export async function newDatabase() {
  const server = inject('database')
  const database = `worker_${process.env['VITEST_POOL_ID'] ?? '1'}_${process.pid}_${Date.now()}_${(serial += 1)}`
  const admin = openPool({ ...server, database: 'forgelet' }, 1)
  await admin.query(`create database ${database} template template`)
  await admin.end()
  return { ...server, database }
}

/** The same as a value of FORGELET_DATABASE_URL, for programs in processes of their own. */
export async function newDatabaseUrl(): Promise<string> {
  const { host, port, user, database } = await newDatabase()
  return `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user }).toString()}`
}
