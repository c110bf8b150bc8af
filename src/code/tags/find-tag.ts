import { isReferenceName, TAGS } from '#code/git/names.ts'
import { type Reference, readReferences } from '#code/git/references.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { notFound } from '#platform/refusals.ts'

/** Finds a tag by its name. @throws 404 */
export async function findTag(
  repository: StoredRepository | undefined,
  name: string,
): Promise<{ readonly repository: StoredRepository; readonly tag: Reference }> {
  const tag = repository && (await findTagByName(repository, name))
  if (repository === undefined || tag === undefined) throw notFound('Tag')
  return { repository, tag }
}

/** The same without a refusal. */
export async function findTagByName(
  repository: StoredRepository,
  name: string,
): Promise<Reference | undefined> {
  const whole = TAGS + name
  const id = isReferenceName(whole) ? (await readReferences(repository, [whole])).get(whole) : undefined
  return id === undefined ? undefined : { name: whole, id }
}
