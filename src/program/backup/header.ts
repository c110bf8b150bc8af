import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { BackupDamaged } from './errors.ts'

/** The form of backups that this program writes. */
export const FORMAT = 1

/** The streams of a backup, in this order; those of tables, files and repositories have names of their own below these. */
export const streamNames = {
  header: 'backup.json',
  secretKey: 'secret.key',
  tables: 'database/',
  sequences: 'sequences.json',
  files: 'files/',
  repositories: 'repositories/',
} as const

const text = Type.String({ maxLength: 10_000 })

const table = Type.Object({ schema: text, name: text, columns: Type.Array(text, { maxItems: 2_000 }) })
const partition = Type.Object({ name: text, parent: text, bound: text })

const header = Type.Object({
  format: Type.Literal(FORMAT),
  program: text,
  created_at: text,
  /** The names of the migrations of the schema, in order. */
  migrations: Type.Array(text, { maxItems: 10_000 }),
  /** The last migration of the job queue. */
  queue: Type.Integer(),
  secret_key: Type.Union([Type.Literal('included'), Type.Literal('left out')]),
  /** A sealed value in base64, which opens with the secret key of the instance only. */
  key_check: Type.Union([text, Type.Null()]),
  tables: Type.Array(table, { maxItems: 100_000 }),
  partitions: Type.Array(partition, { maxItems: 100_000 }),
  files: Type.Integer(),
  repositories: Type.Integer(),
})

/** What a backup says of itself, at its beginning. */
export type Header = Static<typeof header>
export type BackupTable = Static<typeof table>

/** @throws {BackupDamaged} */
export function readHeader(json: string): Header {
  const value: unknown = parsed(json)
  if (Check(header, value)) return value
  const isOther = typeof value === 'object' && value !== null && 'format' in value && value.format !== FORMAT
  throw new BackupDamaged(
    isOther
      ? `the backup has the format ${String(value.format)}, this version knows ${FORMAT}: use the version that made it, or a newer one`
      : 'this is no backup: its beginning cannot be read',
  )
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
