import { randomBytes } from 'node:crypto'
import { openPool } from '#platform/db/pool.ts'
import { fromRun } from './once.ts'
import type { DatabaseServer } from './postgresql.ts'

/** The PostgreSQL of the run, which starts when somebody asks for it. */
export const databaseServer = () => fromRun<DatabaseServer>('database')

/** Of a database on it. */
export type Address = DatabaseServer & { readonly database: string }

/** Runs a statement that is about databases, on the PostgreSQL of the run. */
export async function onServer(statement: string): Promise<void> {
  const admin = openPool({ ...(await databaseServer()), database: 'forgelet' }, 1)
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}

/** A database of its own, cloned from `template` (migrated, with the administrator in it) or `empty` (only migrated). */
export async function newDatabase(template: 'template' | 'empty' = 'template'): Promise<Address> {
  const database = `test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${database} template ${template} strategy file_copy`)
  return { ...(await databaseServer()), database }
}

/** A database of its own without anything in it. */
export async function newBareDatabase(): Promise<Address> {
  const database = `test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${database} template template0 strategy file_copy`)
  return { ...(await databaseServer()), database }
}

/** Drops a database to which nobody is connected any more; PostgreSQL stops what it does in it by itself. */
export const dropDatabase = ({ database }: { readonly database: string }) =>
  onServer(`drop database ${database}`)

/** A database as a value of FORGELET_DATABASE_URL, for programs in processes of their own. */
export function urlOf({ port, database, ...rest }: Address): string {
  return `postgres:///${database}?${new URLSearchParams({ ...rest, port: String(port) }).toString()}`
}
