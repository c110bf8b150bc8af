import { listReferences, type Reference, type ReferenceOrder } from '#code/git/references.ts'
import type { StoredRepository } from './rows.ts'

/**
 * All references below a prefix, as they were when the row of the repository was read, or later. The row has another version
 * once a change of references is recorded, which is before anybody is told that it was made: so they are kept by this version.
 */
export function knownReferences(
  repository: StoredRepository,
  prefix: string,
  order: ReferenceOrder,
): Promise<readonly Reference[]> {
  const key = `references ${repository.row.version} ${prefix} ${order}`
  const ask = () => listReferences(repository, prefix, order)
  return repository.git.kept.answer<readonly Reference[]>(repository, key, ask, { bytes: bytesOf })
}

const bytesOf = (references: readonly Reference[]): number =>
  references.reduce((sum, { name }) => sum + 2 * name.length + 150, 0)
