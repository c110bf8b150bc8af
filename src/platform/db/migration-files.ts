import { readdir, readFile } from 'node:fs/promises'

/** A file of `migrations/` and its header. */
export interface Migration {
  readonly number: number
  readonly file: string
  readonly sql: string
  /** The number of the last migration known to the oldest program that works on the schema after this one. */
  readonly worksWith: number
  /** False for statements that PostgreSQL refuses in a transaction; see {@link statementsOf}. */
  readonly inTransaction: boolean
  /** Why nodes of the previous version cannot run while this is applied. */
  readonly breaksRollingUpgrade: string | undefined
  /** Why it may lock tables that may be large. */
  readonly locksTables: string | undefined
}

/** Where the program's own migrations are. */
export const MIGRATIONS = new URL('./migrations/', import.meta.url)

/** Files up to this one predate headers. Each works with the program that it shipped with. */
export const LAST_WITHOUT_HEADER = 11

const HEADERS = {
  'works with': /^\d{1,4}$/,
  'outside a transaction': /^$/,
  'breaks rolling upgrade': /\S/,
  'locks tables': /\S/,
} as const
type Header = keyof typeof HEADERS

const isHeader = (name: string): name is Header => Object.hasOwn(HEADERS, name)

/**
 * The migrations of a folder, in order.
 * @throws when the numbers have a gap, or a header is missing or not understood.
 */
export async function readMigrations(folder: URL = MIGRATIONS): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    files.map(async (file, index) => {
      const number = Number(file.slice(0, 4))
      if (number !== index + 1) throw new Error(`Migration ${file} should have the number ${index + 1}`)
      return migrationOf(number, file, await readFile(new URL(file, folder), 'utf8'))
    }),
  )
}

function migrationOf(number: number, file: string, sql: string): Migration {
  const headers = headersOf(file, sql)
  const worksWith = Number(headers.get('works with') ?? (number <= LAST_WITHOUT_HEADER ? number : undefined))
  if (!(worksWith <= number)) {
    throw new Error(
      `Migration ${file} should begin with "-- works with: N", where N is the number of the last migration ` +
        `that the oldest program knows which works on the schema afterwards (${number} at most)`,
    )
  }
  return {
    number,
    file,
    sql,
    worksWith,
    inTransaction: !headers.has('outside a transaction'),
    breaksRollingUpgrade: headers.get('breaks rolling upgrade'),
    locksTables: headers.get('locks tables'),
  }
}

/** The headers of a file: its first lines, as far as they are `-- name: value` or `-- name` with a known name. */
function headersOf(file: string, sql: string): ReadonlyMap<Header, string> {
  const found = new Map<Header, string>()
  for (const line of sql.split('\n')) {
    const [, name = '', value = ''] = /^-- ([a-z ]+?)(?:: *(.*?))?\s*$/.exec(line) ?? []
    if (!isHeader(name)) break
    if (!HEADERS[name].test(value)) throw new Error(`Migration ${file}: "${line}" is not understood`)
    found.set(name, value)
  }
  return found
}

/**
 * The statements of a migration that runs outside a transaction, one by one. Each must skip what is already done (`if
 * not exists`), because an interrupted run begins again with the first one. A semicolon at the end of a line ends a
 * statement.
 * @throws for a function's body, where a semicolon does not end the statement.
 */
export function statementsOf({ file, sql }: Migration): string[] {
  const code = sql.replace(/^\s*--.*$/gm, '')
  if (code.includes('$$')) {
    throw new Error(`Migration ${file}: a function belongs into a migration that runs in a transaction`)
  }
  return code
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
