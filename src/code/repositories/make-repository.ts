import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Insertable } from 'kysely'
import type { Randomness } from '#platform/context.ts'
import type { DB } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { meaningOfDiskError } from '#code/git/errors.ts'
import { BRANCHES, isShortName } from '#code/git/names.ts'
import type { Git } from '#code/git/processes/git.ts'
import { syncFolder } from '#code/git/sync-folder.ts'
import { findRow, ownerColumn, repositoryColumns, type RepositoryOwner, type RepositoryRow } from './rows.ts'

/**
 * Inserts the row of a repository, unless there is one. The folder is made when somebody first writes.
 * @param storage chosen by `Storages.choose`.
 */
export async function insertRepository(
  tx: Tx,
  owner: RepositoryOwner,
  storage: string,
): Promise<RepositoryRow> {
  const { column, id } = ownerColumn(owner)
  const row = (await insert(tx, { kind: owner.kind, [column]: id, storage })) ?? (await findRow(tx.db, owner))
  if (row === undefined) throw new Error(`A repository of ${JSON.stringify(owner)} is neither there nor new`)
  return row
}

/** The kinds of repositories that are made before their owner. */
export type AwaitingKind = 'project' | 'snippet'

/**
 * Inserts the row of a repository whose project or snippet does not exist yet. Unless that comes, it is removed.
 * @param until when that is
 */
export async function insertAwaiting(
  tx: Tx,
  kind: AwaitingKind,
  storage: string,
  until: string,
): Promise<RepositoryRow> {
  const row = await insert(tx, { kind, storage, awaits_owner_until: until })
  if (row === undefined) throw new Error('Two repositories were to have one path')
  return row
}

type NewRow = Pick<Insertable<DB['repositories']>, 'kind' | 'storage'> &
  Partial<Insertable<DB['repositories']>>

function insert(tx: Tx, row: NewRow): Promise<RepositoryRow | undefined> {
  return tx.db
    .insertInto('repositories')
    .values({ ...row, relative_path: newPath(JSON.stringify(row), tx.random), created_at: tx.now })
    .onConflict((oc) => oc.doNothing())
    .returning(repositoryColumns)
    .executeTakeFirst()
}

/** A hash of whose it is and of chance: a database that was restored must not meet folders of later projects. */
export function newPath(whose: string, random: Randomness): string {
  const digest = createHash('sha256').update(whose).update(random.bytes(16)).digest('hex')
  return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest.slice(4)}.git`
}

/** Makes the folder of a repository, unless there is one. It appears whole or not at all. */
export async function makeFolder(git: Git, folder: string, defaultBranch: string): Promise<void> {
  const branch = isShortName(defaultBranch) ? defaultBranch : 'main'
  const parent = dirname(folder)
  const temporary = join(parent, `tmp-${process.pid}-${performance.now().toString(36).replace('.', '')}`)
  try {
    const made = await mkdir(parent, { recursive: true, mode: 0o700 })
    await mkdir(temporary, { mode: 0o700 })
    await git.capture({ folder: temporary }, ['init', '--bare', '--quiet', '--template='], { lane: 'write' })
    await git.capture({ folder: temporary }, ['symbolic-ref', 'HEAD', BRANCHES + branch], { lane: 'write' })
    await syncFolder(temporary)
    await rename(temporary, folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await isFolder(folder))) throw error
    })
    await syncFolder(parent)
    if (made !== undefined) await syncFolder(dirname(parent))
  } catch (error) {
    throw meaningOfDiskError(error)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw meaningOfDiskError(error)
  }
}
