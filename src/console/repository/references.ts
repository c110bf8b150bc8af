import { Branch } from '#code/branches/entity.ts'
import { notFound } from '#platform/refusals.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'

/** A branch, tag or commit, and a path in it; blank for its root. */
export interface Place {
  readonly ref: string
  readonly path: string
}

/**
 * What is at a place that an address names by a reference and a path behind it: `feature/one/src/main.ts`. Nearly always the first part
 * is the reference. Otherwise the branches are asked that begin with it.
 * @param work undefined for a place that is not there
 * @returns undefined where nothing is there
 */
export async function findPlace<T>(
  api: Api,
  project: EitherProject,
  named: string,
  work: (place: Place) => Promise<T | undefined>,
): Promise<T | undefined> {
  const [ref = ''] = named.split('/', 1)
  const found = await work(placeIn(named))
  if (found !== undefined || named === ref) return found
  const longer = await longestBranch(api, project, named, ref)
  return longer === undefined ? undefined : work(placeIn(named, longer))
}

/** The same. @throws 404 where nothing is there */
export async function atPlace<T>(...asked: Parameters<typeof findPlace<T>>): Promise<T> {
  const there = await findPlace(...asked)
  if (there === undefined) throw notFound()
  return there
}

/** @param ref the reference that it begins with; by default its first part */
export const placeIn = (named: string, ref = named.split('/', 1)[0] ?? ''): Place => ({
  ref,
  path: named.slice(ref.length + 1).replace(/\/$/, ''),
})

/** The place itself, if a file is there. */
export async function hasFile(api: Api, project: EitherProject, place: Place): Promise<Place | undefined> {
  const file = path`/projects/${project.id}/repository/files/${place.path}`
  return (await api.findHead(file, { ref: place.ref })) && place
}

async function longestBranch(
  api: Api,
  project: EitherProject,
  named: string,
  first: string,
): Promise<string | undefined> {
  const branches = await api.findList(Branch, path`/projects/${project.id}/repository/branches`, {
    search: `^${first}/`,
    per_page: 100,
  })
  const [longest] = (branches?.items ?? [])
    .map(({ name }) => name)
    .filter((name) => named === name || named.startsWith(`${name}/`))
    .toSorted((one, other) => other.length - one.length)
  return longest
}
