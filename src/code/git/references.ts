import type { ObjectType } from './processes/object-reader.ts'
import type { Repository } from './repository.ts'

/** A branch, a tag or another reference. */
export interface Reference {
  /** The whole name, such as `refs/heads/main`. */
  readonly name: string
  /** What it points at: a commit, or an annotated tag. */
  readonly id: string
}

/**
 * An order of references: by name, by the version in the name, or by date; `-` turns it round. `committerdate` is that
 * of the commit, `creatordate` for annotated tags that of the tag.
 */
export type ReferenceOrder = `${'' | '-'}${'refname' | 'version:refname' | 'committerdate' | 'creatordate'}`

/** All references below a prefix such as `refs/heads/`, by name unless `order` says otherwise. */
export async function listReferences(
  repository: Repository,
  prefix: string,
  order: ReferenceOrder = 'refname',
): Promise<Reference[]> {
  const format = '--format=%(objectname) %(refname)'
  return linesOf(await repository.git.text(repository, ['for-each-ref', `--sort=${order}`, format, prefix]))
}

/**
 * Those of some references whose commits another commit contains.
 * @param names whole names, or prefixes
 * @param before those that this commit contains are left out
 */
export async function mergedInto(
  repository: Repository,
  commit: string,
  names: readonly string[],
  before?: string,
): Promise<Reference[]> {
  if (names.length === 0) return []
  const format = '--format=%(objectname) %(refname)'
  const contains = [`--merged=${commit}`, ...(before === undefined ? [] : [`--no-merged=${before}`])]
  return linesOf(await repository.git.text(repository, ['for-each-ref', ...contains, format, ...names]))
}

export interface SortedReference extends Reference {
  readonly type: ObjectType
  /** The commit (or other object) behind an annotated tag. */
  readonly target: string
}

/** The same by the date of what they point at, the latest first, at most `limit` of them. It looks at every reference. */
export async function latestReferences(
  repository: Repository,
  prefix: string,
  limit: number,
): Promise<SortedReference[]> {
  const format = '--format=%(objectname) %(objecttype) %(*objectname) %(refname)'
  const args = ['for-each-ref', '--sort=-creatordate', `--count=${limit}`, format, prefix]
  const text = await repository.git.text(repository, args)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', type, peeled, ...name] = line.split(' ')
      const target = peeled === undefined || peeled === '' ? id : peeled
      return { name: name.join(' '), id, type: asType(type), target }
    })
}

/** The ids of references by their whole names. Those that do not exist are not in the map. */
export async function readReferences(
  repository: Repository,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const reader = repository.git.readers.of(repository)
  const found = await Promise.all(names.map(async (name) => [name, await reader.info(name)] as const))
  return new Map(found.flatMap(([name, info]) => (info === undefined ? [] : [[name, info.id] as const])))
}

/** The references below some prefixes that contain a commit, by name. */
export async function referencesWith(
  repository: Repository,
  commit: string,
  prefixes: readonly string[],
): Promise<Reference[]> {
  const args = ['for-each-ref', `--contains=${commit}`, '--format=%(objectname) %(refname)', ...prefixes]
  return linesOf(await repository.git.text(repository, args))
}

function linesOf(text: string): Reference[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), name: line.slice(line.indexOf(' ') + 1) }))
}

function asType(text: string | undefined): ObjectType {
  return text === 'tag' || text === 'tree' || text === 'blob' ? text : 'commit'
}
