import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pack, unpack } from './archives.ts'
import { counted } from './counted.ts'
import { findFiles } from './files-of-job.ts'
import type { Cache, Job } from './job.ts'
import type { JobVariables } from './variables.ts'

/** Bytes of all caches of a runner. Those that were unused for longest go. */
const MOST = 10 * 1024 * 1024 * 1024

/** Where caches are, and what they are about. */
export interface CachePlace {
  /** The folder of all caches. */
  readonly root: string
  /** The folder of the project. */
  readonly folder: string
  readonly job: Job
  readonly variables: JobVariables
  readonly say: (text: string) => Promise<void>
}

/** The file of a cache. Each project has its own, whatever keys say: a key is no path here. */
export function cacheFile(root: string, projectId: number, key: string): string {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 40)
  return join(root, String(projectId), `${name}.zip`)
}

/** The keys under which a cache may be, in the order in which they are looked for. */
export function keysOf({ key, fallback_keys }: Cache, variables: JobVariables): string[] {
  const last = variables.get('CACHE_FALLBACK_KEY')
  const all = [key, ...(fallback_keys ?? []), ...(last === undefined ? [] : [last])]
  return [...new Set(all.map((one) => variables.expand(one)).filter((one) => one !== ''))]
}

const policyOf = ({ policy }: Cache, variables: JobVariables) => variables.expand(policy ?? 'pull-push')

/** Gets what earlier jobs have left. A cache that is damaged is none. */
export async function restoreCaches({ root, folder, job, variables, say }: CachePlace): Promise<void> {
  for (const cache of job.cache ?? []) {
    if (!policyOf(cache, variables).includes('pull')) continue
    const keys = keysOf(cache, variables)
    let restored: string | undefined
    for (const key of keys) {
      const file = cacheFile(root, job.job_info.project_id, key)
      if ((await stat(file).catch(() => undefined)) === undefined) continue
      try {
        await unpack(file, folder)
        const now = new Date()
        await utimes(file, now, now)
        restored = key
        break
      } catch (error) {
        await say(`Cache ${key} cannot be used: ${String(error)}`)
        await rm(file, { force: true })
      }
    }
    await say(restored === undefined ? `There is no cache ${keys[0] ?? ''} yet` : `Got the cache ${restored}`)
  }
}

/** Keeps what later jobs shall get. */
export async function saveCaches(
  { root, folder, job, variables, say }: CachePlace,
  hasPassed: boolean,
): Promise<void> {
  for (const cache of job.cache ?? []) {
    const when = cache.when ?? 'on_success'
    const isWanted = when === 'always' || (when === 'on_failure') !== hasPassed
    if (!policyOf(cache, variables).includes('push') || !isWanted) continue
    const key = variables.expand(cache.key)
    const paths = (cache.paths ?? []).map((path) => variables.expand(path))
    const { files, warnings } = await findFiles(folder, { paths, untracked: cache.untracked === true })
    for (const warning of warnings) await say(`Cache ${key}: ${warning}`)
    if (files.length === 0) continue
    const file = cacheFile(root, job.job_info.project_id, key)
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
    const draft = `${file}.${job.id}`
    await say(`Keeping ${counted(files.length, 'file')} in the cache ${key}`)
    try {
      await pack(folder, files, draft)
      await rename(draft, file)
    } finally {
      await rm(draft, { force: true })
    }
  }
  await evict(root, MOST)
}

/** Removes the caches that were unused for longest, until the others are small enough. */
export async function evict(root: string, most: number): Promise<void> {
  const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    names
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        const about = await stat(path).catch(() => undefined)
        return about === undefined ? [] : [{ path, size: about.size, time: about.mtimeMs }]
      }),
  )
  let left = most
  for (const { path, size } of found.flat().toSorted((one, other) => other.time - one.time)) {
    left -= size
    if (left < 0) await rm(path, { force: true })
  }
}
