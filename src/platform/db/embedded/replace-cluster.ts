import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from './cluster.ts'
import { codeOf } from './errors.ts'
import { clearOrphans } from './processes.ts'
import type { Log } from './types.ts'

/** The data folder of the new cluster while it is filled. What is there is a part of a database. */
export const DRAFT = 'postgresql.upgrade'
/** A cluster that has everything of the one in `postgresql`, and takes its place. */
const READY = 'postgresql.upgraded'

/** The major version that made a cluster; undefined when there is no cluster. */
export async function majorOf(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether a data folder holds a cluster, also one that an interrupted upgrade has not put in its place yet. */
export async function holdsCluster(dataDir: string): Promise<boolean> {
  for (const folder of ['postgresql', READY]) {
    const found = await stat(join(dataDir, folder, 'PG_VERSION')).then(
      () => true,
      // What may not be read is there; the start says better what is wrong with it.
      (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? ''),
    )
    if (found) return true
  }
  return false
}

/** Removes what an interrupted upgrade has left. The caller owns the data folder. */
export async function removeDraft(dataDir: string, log: Log): Promise<void> {
  const draft = join(dataDir, DRAFT)
  await clearOrphans(join(draft, 'postgresql'), log)
  await rm(draft, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Declares the cluster in the draft whole. Its server must have stopped. From here on every start goes on. */
export async function declareReady(dataDir: string): Promise<void> {
  await rename(join(dataDir, DRAFT, 'postgresql'), join(dataDir, READY))
  await syncFolder(dataDir)
}

/**
 * Puts a cluster that is ready in its place, and the old one beside it. The caller owns the data folder. Whatever
 * interrupts this, the next call goes on.
 *
 * @returns where the old cluster is; undefined when there was nothing to do.
 */
export async function finishUpgrade(dataDir: string): Promise<string | undefined> {
  const [ready, folder] = [join(dataDir, READY), join(dataDir, 'postgresql')]
  if (!(await exists(ready))) return undefined
  const major = await majorOf(folder)
  const aside = await unusedName(join(dataDir, `postgresql.${major ?? 'old'}`))
  if (await exists(folder)) await rename(folder, aside)
  await syncFolder(dataDir)
  await rename(ready, folder)
  await syncFolder(dataDir)
  return aside
}

async function unusedName(name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!(await exists(candidate))) return candidate
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    },
  )
}
