import { BRANCHES, isReferenceName } from '#code/git/names.ts'
import { type Reference, readReferences } from '#code/git/references.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { notFound } from '#platform/refusals.ts'

/** Finds a branch by its name. @throws 404 */
export async function findBranch(
  repository: StoredRepository | undefined,
  name: string,
): Promise<{ readonly repository: StoredRepository; readonly branch: Reference }> {
  const branch = repository && (await findBranchByName(repository, name))
  if (repository === undefined || branch === undefined) throw notFound('Branch')
  return { repository, branch }
}

/** The same without a refusal. */
export async function findBranchByName(
  repository: StoredRepository,
  name: string,
): Promise<Reference | undefined> {
  const whole = BRANCHES + name
  const id = isReferenceName(whole) ? (await readReferences(repository, [whole])).get(whole) : undefined
  return id === undefined ? undefined : { name: whole, id }
}
