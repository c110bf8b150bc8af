import type { Randomness } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Files } from './files.ts'
import { measured } from './measured.ts'
import { type Amount, amountOutside, beginUpload, filesOutside, moveFile, type StoredFile } from './rows.ts'

export interface MoveOptions {
  readonly files: Files
  readonly db: Db
  readonly random: Randomness
  readonly onProgress: (progress: MoveProgress) => void
  readonly signal: AbortSignal
}

export interface MoveProgress {
  readonly moved: Amount
  /** How much there was to move at the beginning. */
  readonly all: Amount
}

export interface MoveResult extends MoveProgress {
  /** Files that could not be moved, each with the reason. */
  readonly failed: readonly { readonly file: StoredFile; readonly reason: string }[]
}

const FILES_PER_STATEMENT = 100
const AT_ONCE = 4

/**
 * Moves all files to the store for new files, while servers run. For each file it copies the bytes, verifies the
 * copy, and points the row to the copy; the old bytes stay for some minutes. It may be stopped at any moment and
 * started again.
 */
export async function moveFiles(options: MoveOptions): Promise<MoveResult> {
  const { files, db, signal, onProgress } = options
  const target = files.stores.current
  const all = await amountOutside(db, target)
  const failed: { file: StoredFile; reason: string }[] = []
  let moved: Amount = { files: 0, bytes: 0 }
  const move = async (file: StoredFile) => {
    try {
      const done = await moveOne(options, file)
      if (done) moved = { files: moved.files + 1, bytes: moved.bytes + file.size }
    } catch (error) {
      failed.push({ file, reason: reasonOf(error) })
    }
    onProgress({ moved, all })
  }
  let after = ''
  for (;;) {
    const batch = await filesOutside(db, target, after, FILES_PER_STATEMENT)
    for (let at = 0; at < batch.length && !signal.aborted; at += AT_ONCE) {
      await Promise.all(batch.slice(at, at + AT_ONCE).map(move))
    }
    after = batch.at(-1)?.id ?? ''
    if (after === '' || signal.aborted) return { moved, all, failed }
  }
}

/**
 * @returns false when the file is gone or another process moved it.
 * @throws when its bytes are not what the row says.
 */
async function moveOne({ files, db, random }: MoveOptions, file: StoredFile): Promise<boolean> {
  const content = await files.read(file)
  if (content === undefined) {
    if ((await files.find(file.id)) === undefined) return false
    throw new Error(`its bytes are not in ${file.storage}`)
  }
  const storage = files.stores.current
  const copy = { storage, key: await beginUpload(db, random, storage) }
  let moved = false
  try {
    const bytes = measured(content)
    await (await files.stores.of(storage)).write(copy.key, bytes)
    const { sha256 } = await bytes.digests()
    if (bytes.size() !== file.size || sha256.toString('hex') !== file.sha256) {
      throw new Error('its bytes are not those that were stored: the digest differs')
    }
    moved = await moveFile(db, file, copy)
    return moved
  } finally {
    content.destroy()
    if (!moved) await files.giveUp(copy)
  }
}

/** What went wrong, with its cause, because a store's own message is written for clients. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
