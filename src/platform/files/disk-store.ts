import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { StoreFull, StoreUnavailable } from './errors.ts'
import { FileStream } from './file-stream.ts'
import type { ByteRange, Store } from './store.ts'

/** The form of keys; the database checks the same. */
const KEY = /^[0-9a-f]{2}\/[0-9a-f]{30}$/

/** Keeps bytes as files below a folder, which it makes when needed. */
export class DiskStore implements Store {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  async write(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(key)
    const file = await explained(async () => {
      await makeFolder(dirname(path))
      return await open(path, 'wx', 0o600)
    })
    try {
      for await (const chunk of content) await explained(() => writeAll(file, chunk))
      await explained(() => file.sync())
    } finally {
      await file.close()
    }
    await explained(() => syncFolder(dirname(path)))
  }

  async take(key: string, path: string): Promise<void> {
    try {
      await this.#move(key, path)
    } catch (error) {
      const isElsewhere = error instanceof Error && codeOf(error.cause) === 'EXDEV'
      if (!isElsewhere) throw error
      await this.write(key, createReadStream(path))
    }
  }

  async #move(key: string, path: string): Promise<void> {
    const to = this.#pathOf(key)
    await explained(async () => {
      const file = await open(path)
      try {
        await file.sync()
      } finally {
        await file.close()
      }
      await makeFolder(dirname(to))
      await rename(path, to)
      await syncFolder(dirname(to))
    })
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      return await FileStream.open(this.#pathOf(key), range)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw new StoreUnavailable(error)
    }
  }

  async has(key: string, size: number): Promise<boolean> {
    try {
      return (await stat(this.#pathOf(key))).size === size
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw new StoreUnavailable(error)
    }
  }

  async remove(key: string): Promise<void> {
    await explained(() => rm(this.#pathOf(key), { force: true }))
  }

  async signedUrl(): Promise<undefined> {}

  /** Removes everything: for tests that deleted the rows. */
  async clear(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }

  #pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error(`No key of a file: ${key}`)
    return join(this.root, key)
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
}

/** Makes a folder that survives a crash: a new name in a folder is on the disk once that folder is synced. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Runs work on the disk and turns its failures into a store's errors. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const full = ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
    throw full ? new StoreFull(error) : new StoreUnavailable(error)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
