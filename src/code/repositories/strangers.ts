import { mkdir, readdir, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Repositories } from './repositories.ts'

/** Where folders go that the database does not know. Nothing reads them; an administrator may remove them. */
const ASIDE = 'unknown'

/** Milliseconds for which a folder may be unfinished. */
const UNFINISHED = 3_600_000

/** A folder that belongs to no row. */
export interface Stranger {
  /** The storage, and the path there. */
  readonly name: string
  /** It is not removed: a database that was restored may be older than the folder. */
  readonly moveAside: () => Promise<void>
}

/** The folders of all storages that the database does not know. */
export async function* strangers(repositories: Repositories, signal: AbortSignal): AsyncGenerator<Stranger> {
  for (const storage of repositories.storages.names) {
    const root = await repositories.storages.pathOf(storage)
    for await (const shard of shardsIn(root)) {
      signal.throwIfAborted()
      // In this order, because a row is older than its folder.
      const names = await foldersIn(join(root, shard), /^(?:[0-9a-f]{60}\.git|tmp-.+)$/)
      const known = await knownBelow(repositories, storage, `${shard}/`)
      for (const path of names.map((name) => `${shard}/${name}`).filter((path) => !known.has(path))) {
        if (path.includes('/tmp-') && (await isYoung(join(root, path)))) continue
        yield { name: `${storage}:${path}`, moveAside: () => moveAside(root, path) }
      }
    }
  }
}

const TWO_DIGITS = /^[0-9a-f]{2}$/

async function* shardsIn(root: string): AsyncGenerator<string> {
  for (const first of await foldersIn(root, TWO_DIGITS)) {
    for (const second of await foldersIn(join(root, first), TWO_DIGITS)) yield `${first}/${second}`
  }
}

async function foldersIn(path: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .flatMap((entry) => (entry.isDirectory() && pattern.test(entry.name) ? [entry.name] : []))
    .toSorted()
}

/** In one statement: a repository that moves meanwhile is in the one table or the other. */
async function knownBelow(
  { source }: Repositories,
  storage: string,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const below = `${prefix}%`
  const { rows } = await sql<{ path: string }>`
    select relative_path as path from repositories where storage = ${storage} and relative_path like ${below}
    union all
    select source_path from repository_storage_copies where source_storage = ${storage} and source_path like ${below}
    union all
    select destination_path from repository_storage_copies
    where destination_storage = ${storage} and destination_path like ${below}`.execute(source.db)
  return new Set(rows.map(({ path }) => path))
}

const isYoung = async (path: string): Promise<boolean> => Date.now() - (await stat(path)).mtimeMs < UNFINISHED

async function moveAside(root: string, path: string): Promise<void> {
  const target = join(root, ASIDE, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(join(root, path), target)
}
