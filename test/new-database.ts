import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { openPool } from '#platform/db/pool.ts'

/** Runs a statement that is about databases, on the PostgreSQL of the run. */
export async function onServer(statement: string): Promise<void> {
  const admin = openPool({ ...inject('database'), database: 'forgelet' }, 1)
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}

/** A database of its own, cloned from `template` (migrated, with the administrator in it) or `empty` (only migrated). */
export async function newDatabase(template: 'template' | 'empty' = 'template') {
  const database = `test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${database} template ${template} strategy file_copy`)
  return { ...inject('database'), database }
}

/** A database of its own without anything in it. */
export async function newBareDatabase() {
  const database = `test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${database} template template0 strategy file_copy`)
  return { ...inject('database'), database }
}

/** Drops a database to which nobody is connected any more; PostgreSQL stops what it does in it by itself. */
export const dropDatabase = ({ database }: { readonly database: string }) =>
  onServer(`drop database ${database}`)

/** A database as a value of FORGELET_DATABASE_URL, for programs in processes of their own. */
export function urlOf({ port, database, ...rest }: Awaited<ReturnType<typeof newDatabase>>): string {
  return `postgres:///${database}?${new URLSearchParams({ ...rest, port: String(port) }).toString()}`
}
