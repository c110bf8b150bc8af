import type { Dirent } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Randomness } from '#context.ts'
import type { BlobFolder, Blobs, StoredBlob } from './blobs.ts'

/** What keys look like, and nothing else is looked for on the disk; the database's type `blob_key` says the same. */
const KEY = /^[a-z]+\/[0-9a-f]{2}\/[0-9a-f]{30}$/
/** What a file is called while it is written. */
const PART = '.part'

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Blobs as files below a folder, which is made when it is needed. */
export class DiskBlobs implements Blobs {
  readonly #root: string
  readonly #random: Randomness

  constructor(root: string, random: Randomness) {
    this.#root = root
    this.#random = random
  }

  async put(folder: BlobFolder, data: Buffer): Promise<string> {
    const name = this.#random.bytes(16).toString('hex')
    const key = `${folder}/${name.slice(0, 2)}/${name.slice(2)}`
    const path = join(this.#root, key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path + PART, 'wx', 0o600)
    try {
      await file.writeFile(data)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(path + PART, path)
    await synced(dirname(path))
    return key
  }

  async get(key: string): Promise<Readable | undefined> {
    if (!KEY.test(key)) return undefined
    try {
      return (await open(join(this.#root, key))).createReadStream()
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async size(key: string): Promise<number | undefined> {
    if (!KEY.test(key)) return undefined
    try {
      return (await stat(join(this.#root, key))).size
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async delete(key: string): Promise<void> {
    if (KEY.test(key.replace(/\.part$/, ''))) await rm(join(this.#root, key), { force: true })
  }

  async *list(): AsyncGenerator<StoredBlob> {
    for (const folder of await entriesOf(this.#root)) {
      for (const shard of await entriesOf(join(this.#root, folder))) {
        for (const name of await entriesOf(join(this.#root, folder, shard))) {
          const key = `${folder}/${shard}/${name}`
          const found = await stat(join(this.#root, key)).catch(() => undefined)
          if (found?.isFile()) yield { key, storedAt: found.mtime }
        }
      }
    }
  }

  async clear(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true })
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // Gone, or no folder at all: somebody put a file there.
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) return []
    throw error
  })
  return entries.map(({ name }) => name)
}

/** A new name in a folder lasts when the folder is on the disk, too. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
