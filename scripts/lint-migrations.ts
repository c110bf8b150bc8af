// Refuses migrations that would lock a large table for long, or take away what the program of the version before uses;
// see docs/decisions/0011-migrations.md. With Squawk, a linter for PostgreSQL migrations.
//   node scripts/lint-migrations.ts [FOLDER]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  LAST_WITHOUT_HEADER,
  type Migration,
  MIGRATIONS,
  readMigrations,
} from '#platform/db/migration-files.ts'

const root = join(import.meta.dirname, '..')

/** About style, or what src/platform/db/migrate.ts sees to. */
const LEFT_OUT = [
  'prefer-bigint-over-int',
  'prefer-identity',
  'prefer-text-field',
  'prefer-timestamp-tz',
  'require-lock-timeout',
  'require-statement-timeout',
]

/** What the header `locks tables` permits. */
const LOCKING = [
  'adding-field-with-default',
  'adding-foreign-key-constraint',
  'adding-not-nullable-field',
  'constraint-missing-not-valid',
  'disallowed-unique-constraint',
  'require-concurrent-index-creation',
  'require-concurrent-index-deletion',
]

/**
 * What is wrong with the migrations of a folder, a line each.
 * @throws when the linter does not run.
 */
export async function lintMigrations(folder: URL = MIGRATIONS): Promise<string[]> {
  const migrations = await readMigrations(folder)
  return migrations
    .filter(({ number }) => folder.href !== MIGRATIONS.href || number > LAST_WITHOUT_HEADER)
    .flatMap((migration) => lint(migration, folder))
}

function lint({ file, inTransaction, locksTables }: Migration, folder: URL): string[] {
  const excluded = [...LEFT_OUT, ...(locksTables === undefined ? [] : LOCKING)]
  const squawk = join(root, 'node_modules', 'squawk-cli', 'js', 'bin', 'squawk')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      squawk,
      '--reporter=gcc',
      '--pg-version=15',
      inTransaction ? '--assume-in-transaction' : '--no-assume-in-transaction',
      ...excluded.flatMap((rule) => ['--exclude', rule]),
      fileURLToPath(new URL(file, folder)),
    ],
    { cwd: root, encoding: 'utf8' },
  )
  const found = stdout.split('\n').filter((line) => line.includes('.sql:'))
  if (status !== 0 && found.length === 0) throw new Error(`Squawk did not run: ${stderr}${stdout}`)
  return found.map((line) => line.slice(line.lastIndexOf(file)))
}

if (import.meta.main) {
  const [given] = process.argv.slice(2)
  const problems = await lintMigrations(given === undefined ? MIGRATIONS : pathToFileURL(`${given}/`))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) console.error('See docs/decisions/0011-migrations.md for what to do instead.')
  process.exit(problems.length > 0 ? 1 : 0)
}
