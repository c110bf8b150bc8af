import { keepObject } from '#code/git/keep-object.ts'
import { KEPT } from '#code/git/names.ts'
import { readReferences } from '#code/git/references.ts'
import { assertWritable } from './read-only.ts'
import type { Repositories } from './repositories.ts'
import type { StoredRepository } from './rows.ts'

/**
 * Keeps a commit from being collected, whatever becomes of its branches, by a hidden reference. Call it before the transaction whose
 * row refers to the commit: a reference that nothing needs is harmless. Nobody sees it and it never changes, so nothing is recorded.
 * @throws 503 while the repository is read-only, unless the commit is kept already.
 */
export async function keepCommit(
  repositories: Repositories,
  repository: StoredRepository,
  id: string,
): Promise<void> {
  const ref = KEPT + id
  const isKept = (await readReferences(repository, [ref])).has(ref)
  if (!isKept) {
    assertWritable(repository.row)
    await keepObject(repository, id)
  }
  // A move copies what was there when it made the repository read-only. What came later may be left behind.
  const row = await repositories.reload(repository.row)
  if (row !== undefined) assertWritable(isKept ? { ...row, read_only_because: null } : row, repository.row)
}
