import { randomUUID } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account, Owner } from './account.ts'
import type { Binaries } from './binaries.ts'
import { adviceOn, ClusterVersionMismatch, codeOf, EmbeddedUnavailable, messageOf } from './errors.ts'
import type { RunProgram } from './programs.ts'
import { initdbArguments } from './settings.ts'
import { claimFolder } from './socket-folder.ts'
import { copyCluster } from './template.ts'

const UNFINISHED = 'postgresql.init-'

/**
 * Is beside a cluster until its first files are surely on disk. A start that finds it makes another cluster: the server has
 * answered nobody yet.
 */
const UNWRITTEN = `${UNFINISHED}unwritten`

/** The cluster in a folder and its owner, or undefined. Refuses a cluster of another major version. */
export async function inspectCluster(
  folder: string,
  major: string,
): Promise<({ folder: string } & Owner) | undefined> {
  let owner: Owner
  try {
    const { uid, gid } = await stat(folder)
    owner = { uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  const version = await readVersion(folder)
  if (version === 'none') return undefined
  if (version !== 'unknown' && version !== major) {
    const what =
      Number(version) < Number(major)
        ? 'Run "forgelet database upgrade" once: it copies the database into a new cluster, and keeps this one.'
        : 'Start the newer Forgelet again that made it.'
    throw new ClusterVersionMismatch(
      `${folder} was made by PostgreSQL ${version}, this Forgelet ships PostgreSQL ${major}. ${what}`,
    )
  }
  return { folder, ...owner }
}

async function readVersion(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'EACCES') return 'unknown' // another user's cluster; the choice of account reports it better
    if (codeOf(error) !== 'ENOENT') throw error
  }
  if ((await readdir(folder)).length > 0) {
    throw new EmbeddedUnavailable(
      `${folder} holds files but no PostgreSQL cluster (no PG_VERSION). Move it away, or choose another data ` +
        'folder with FORGELET_DATA.',
    )
  }
  await rmdir(folder)
  return 'none'
}

/**
 * Removes what an interrupted first start has left. What cannot be removed because its initdb still runs is left to
 * the next start.
 */
export async function removeUnfinished(dataDir: string): Promise<void> {
  if ((await readdir(dataDir)).includes(UNWRITTEN)) {
    await rename(join(dataDir, 'postgresql'), join(dataDir, `${UNFINISHED}${randomUUID()}`)).catch(
      (error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error
      },
    )
    // Before the mark is removed.
    await syncFolder(dataDir)
  }
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED)) {
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(
        () => {},
      )
    }
  }
}

interface NewCluster {
  dataDir: string
  folder: string
  account: Account
  binaries: Binaries
  ephemeral: boolean
  /** A cluster to copy, instead of making one with initdb. */
  template: string | undefined
  run: RunProgram
}

/**
 * Makes the cluster beside its final folder and moves it there when it is complete.
 * @returns whether its files must still be written to disk, with {@link writeCluster}.
 */
export async function createCluster(options: NewCluster): Promise<boolean> {
  const { dataDir, folder, account, ephemeral, template, run } = options
  const writesLater = template !== undefined && !ephemeral
  if (writesLater) await markUnwritten(dataDir)
  const draft = await mkdtemp(join(dataDir, UNFINISHED))
  try {
    await claimFolder(draft, account)
    if (template === undefined) await initialize(draft, options)
    else await copyCluster(template, draft, run)
    await rename(draft, folder)
    if (!ephemeral && !writesLater) await syncFolder(dataDir)
    return writesLater
  } catch (error) {
    if (writesLater) await rm(join(dataDir, UNWRITTEN))
    await rm(draft, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    throw error
  }
}

async function initialize(folder: string, { binaries, dataDir, ephemeral, run }: NewCluster): Promise<void> {
  const initdb = (args: string[]) =>
    run(binaries.initdb, args).catch((error: unknown) => {
      throw codeOf(error) === 'ABORT_ERR' ? error : initdbFailed({ binaries, dataDir }, messageOf(error))
    })
  const args = initdbArguments(folder, ephemeral)
  let result = await initdb(args)
  if (result.code !== 0 && /invalid locale/.test(result.output)) {
    // This C library lacks C.UTF-8. The builtin provider sorts and folds alike without it.
    result = await initdb([...args, '--locale=C'])
  }
  if (result.code !== 0) throw initdbFailed({ binaries, dataDir }, result.output)
}

async function markUnwritten(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, UNWRITTEN), '', { flush: true })
  await syncFolder(dataDir)
}

interface Written {
  readonly dataDir: string
  readonly folder: string
  readonly binaries: Binaries
  readonly run: RunProgram
}

/** Writes a copied cluster to disk, beside a server that runs on it. Until then nobody may be answered. */
export async function writeCluster({ dataDir, folder, binaries, run }: Written): Promise<void> {
  await syncCluster(folder, binaries, run)
  await rm(join(dataDir, UNWRITTEN))
  await syncFolder(dataDir)
}

/** Waits until the files of a cluster are on disk. Linux does that for the whole file system, much faster. */
export async function syncCluster(folder: string, { initdb }: Binaries, run: RunProgram): Promise<void> {
  const method = process.platform === 'linux' ? ['--sync-method=syncfs'] : []
  const { code, output } = await run(initdb, ['--sync-only', ...method, `--pgdata=${folder}`])
  if (code !== 0) throw new Error(`${folder} could not be written to disk: ${output.trim()}`)
}

function initdbFailed(
  { binaries, dataDir }: Pick<NewCluster, 'binaries' | 'dataDir'>,
  output: string,
): EmbeddedUnavailable {
  const advice = adviceOn(output, dataDir)
  if (advice !== undefined)
    return new EmbeddedUnavailable(`The embedded PostgreSQL could not make its cluster. ${advice}`)
  return new EmbeddedUnavailable(
    `The embedded PostgreSQL could not make its cluster with ${binaries.initdb}: ${output.trim()}. Where its ` +
      'programs cannot run (they need glibc), set FORGELET_DATABASE_URL to a PostgreSQL server of your own.',
  )
}

/** Makes sure that the names in a folder survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
