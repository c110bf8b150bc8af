import { KEPT } from '#code/git/names.ts'
import { readReferences } from '#code/git/references.ts'
import { updateReferences } from '#code/git/update-references.ts'
import { unavailable } from '#platform/http/errors.ts'
import { READ_ONLY } from './change-references.ts'
import type { StoredRepository } from './rows.ts'

/**
 * Keeps a commit from being collected, whatever becomes of its branches, by a hidden reference. Call it before the transaction whose
 * row refers to the commit: a reference that nothing needs is harmless. Nobody sees it and it never changes, so nothing is recorded.
 * @throws 503 while the repository is read-only, unless the commit is kept already.
 */
export async function keepCommit(repository: StoredRepository, id: string): Promise<void> {
  const ref = KEPT + id
  if ((await readReferences(repository, [ref])).has(ref)) return
  if (repository.row.read_only_because !== null) throw unavailable(READ_ONLY, 60)
  // Whoever is faster has made the same.
  await updateReferences(repository, [{ ref, before: '', after: id }], true)
}
