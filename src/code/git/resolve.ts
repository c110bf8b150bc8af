import { BRANCHES, isReferenceName, KEPT, TAGS } from './names.ts'
import type { ObjectInfo, ObjectType } from './processes/object-reader.ts'
import type { Repository } from './repository.ts'

/** What a name may mean, where a client says so. */
export type ReferenceType = 'heads' | 'tags'

/** A name, and steps back from there: `main~2`, `v1^{commit}`, `HEAD^2`. */
const EXPRESSION = /^(.+?)((?:[~^]\d{0,4}|\^\{(?:commit|tree)?\}){0,16})$/s

/**
 * Finds the object that a client names: a branch, a tag, `HEAD`, a whole reference name, an object id or the beginning
 * of one, each with steps back as git has them. Git sees nothing but ids and names that were checked.
 *
 * A tag wins over a branch of the same name, as in git, unless `type` decides.
 * @returns undefined when nothing has that name.
 */
export async function resolve(
  repository: Repository,
  name: string,
  type?: ReferenceType,
): Promise<ObjectInfo | undefined> {
  const [, base = '', steps = ''] = EXPRESSION.exec(name) ?? []
  const reader = repository.git.readers.of(repository)
  for (const candidate of candidates(base, type)) {
    const found = await reader.info(candidate + steps)
    if (found !== undefined) return found
  }
  return undefined
}

/** The same for the object of a type that it leads to, such as the commit that a tag names. */
export async function resolveTo(
  repository: Repository,
  name: string,
  wanted: Exclude<ObjectType, 'tag'>,
  type?: ReferenceType,
): Promise<string | undefined> {
  const found = await resolve(repository, name, type)
  if (found === undefined || found.type === wanted) return found?.id
  return (await repository.git.readers.of(repository).info(`${found.id}^{${wanted}}`))?.id
}

/** The id of the commit that a client names. Undefined when it names none. */
export function resolveCommit(
  repository: Repository,
  name: string,
  type?: ReferenceType,
): Promise<string | undefined> {
  return resolveTo(repository, name, 'commit', type)
}

/** What git is asked for, one after the other. */
function candidates(base: string, type: ReferenceType | undefined): string[] {
  if (type !== undefined) return [`refs/${type}/${base}`].filter(isReferenceName)
  if (/^[0-9a-f]{40}$/.test(base)) return [base]
  const names = [base, TAGS + base, BRANCHES + base].filter(
    (name) => isReferenceName(name) && !name.startsWith(KEPT),
  )
  if (base === 'HEAD') names.push('HEAD')
  if (/^[0-9a-f]{4,39}$/i.test(base)) names.push(base.toLowerCase())
  return names
}
