import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { filesThatMatch, unzip, zipFiles } from './archive.ts'
import type { CacheOfJob } from './job.ts'

/** Bytes of all caches. Beyond them, what was unused for longest goes. */
const MOST_BYTES = 10 * 1024 ** 3

/** What jobs of a project keep for later ones, on this machine. */
export class JobCache {
  readonly #folder: string

  /** @param folder of the project's caches */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Puts what is kept into a work folder. @returns the key under which something was kept */
  async restore(cache: CacheOfJob, work: string): Promise<string | undefined> {
    if (cache.policy === 'push') return undefined
    for (const key of [cache.key ?? 'default', ...(cache.fallback_keys ?? [])]) {
      const file = this.#fileOf(key)
      if (!existsSync(file)) continue
      await unzip(file, work)
      const now = new Date()
      await utimes(file, now, now)
      return key
    }
    return undefined
  }

  /** Keeps files of a work folder. @returns how many there were; undefined where the job keeps none */
  async save(cache: CacheOfJob, work: string, status: 'success' | 'failed'): Promise<number | undefined> {
    const when = cache.when ?? 'on_success'
    const isWanted = when === 'always' || (when === 'on_success') === (status === 'success')
    if (cache.policy === 'pull' || !isWanted) return undefined
    const files = await filesThatMatch(work, cache.paths ?? [])
    if (files.length === 0) return 0
    await mkdir(this.#folder, { recursive: true })
    const file = this.#fileOf(cache.key ?? 'default')
    const draft = `${file}.${process.pid}-${Math.trunc(performance.now() * 1000)}`
    await zipFiles(work, files, draft)
    // Whoever reads the former one goes on with it.
    await rename(draft, file)
    return files.length
  }

  /** The names of keys may be anything. */
  #fileOf(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex')}.zip`)
  }
}

/** Removes the caches that were unused for longest, until the rest fits. @param folder of the caches of all projects */
export async function trimCaches(folder: string, most = MOST_BYTES): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const found = []
  for (const name of names) {
    const path = join(folder, name)
    const about = await stat(path).catch(() => undefined)
    if (about?.isFile() === true) found.push({ path, size: about.size, used: about.mtimeMs })
  }
  let size = found.reduce((sum, one) => sum + one.size, 0)
  for (const one of found.toSorted((a, b) => a.used - b.used)) {
    if (size <= most) return
    await rm(one.path, { force: true })
    size -= one.size
  }
}
