import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

type WorkFolder = AsyncDisposable & { readonly path: string }

/** Milliseconds after which nobody continues a work. */
const ABANDONED = 86_400_000

/**
 * Folders for what jobs need for a while, such as archives that are unpacked. They are below the data folder: the temporary folder
 * of a system may be its memory.
 */
export class WorkFolders {
  readonly #root: string

  /** @param data the data folder */
  constructor(data: string) {
    this.#root = join(data, 'work')
  }

  /**
   * An empty folder that no other account can look into, removed when disposed. What a process left there that was killed is gone.
   * @param name of the work. Whoever opens its folder holds a lease, so that nobody else does.
   */
  async open(name: string): Promise<WorkFolder> {
    const path = join(this.#root, name)
    const remove = () => rm(path, { recursive: true, force: true })
    await remove()
    await mkdir(path, { recursive: true, mode: 0o700 })
    return { path, [Symbol.asyncDispose]: remove }
  }

  /** Removes the folders in which nothing has changed for a day: those who worked there died, and nobody continues. */
  async removeAbandoned(): Promise<void> {
    const names = await readdir(this.#root).catch(() => [])
    for (const name of names) {
      const path = join(this.#root, name)
      if ((await lastChange(path)) < Date.now() - ABANDONED) await rm(path, { recursive: true, force: true })
    }
  }
}

/** When something changed in a folder; now when that cannot be said. */
async function lastChange(path: string): Promise<number> {
  try {
    const inside = await readdir(path)
    const all = await Promise.all([path, ...inside.map((name) => join(path, name))].map((one) => stat(one)))
    return all.reduce((last, { mtimeMs }) => Math.max(last, mtimeMs), 0)
  } catch {
    return Date.now()
  }
}
