import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Randomness } from '#platform/context.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { meaningOfDiskError } from '#code/git/errors.ts'
import { BRANCHES, isShortName } from '#code/git/names.ts'
import type { Git } from '#code/git/processes/git.ts'
import { syncFolder } from '#code/git/sync-folder.ts'
import { findRow, repositoryColumns, type RepositoryOwner, type RepositoryRow } from './rows.ts'

/**
 * Inserts the row of a repository, unless there is one. The folder is made when somebody first writes.
 * @param storage chosen by `Storages.choose`.
 */
export async function insertRepository(
  tx: Tx,
  owner: RepositoryOwner,
  storage: string,
): Promise<RepositoryRow> {
  const inserted = await tx.db
    .insertInto('repositories')
    .values({
      kind: owner.kind,
      ...('project' in owner ? { project_id: owner.project } : { group_id: owner.group }),
      storage,
      relative_path: newPath(owner, tx.random),
      created_at: tx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning(repositoryColumns)
    .executeTakeFirst()
  const row = inserted ?? (await findRow(tx.db, owner))
  if (row === undefined)
    throw new Error(`There is neither room nor a row for the repository of ${JSON.stringify(owner)}`)
  return row
}

/** A hash of whose it is and of chance: a database that was restored must not meet folders of later projects. */
function newPath(owner: RepositoryOwner, random: Randomness): string {
  const digest = createHash('sha256').update(JSON.stringify(owner)).update(random.bytes(16)).digest('hex')
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
