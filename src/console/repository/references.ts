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
 * @param work undefined for a place that is not there @throws 404
 */
export async function atPlace<T>(
  api: Api,
  project: EitherProject,
  named: string,
  work: (place: Place) => Promise<T | undefined>,
): Promise<T> {
  const [ref = ''] = named.split('/', 1)
  const found = await work(placeIn(named, ref))
  if (found !== undefined) return found
  const longer = named === ref ? undefined : await longestBranch(api, project, named, ref)
  const there = longer === undefined ? undefined : await work(placeIn(named, longer))
  if (there === undefined) throw notFound()
  return there
}

const placeIn = (named: string, ref: string): Place => ({
  ref,
  path: named.slice(ref.length + 1).replace(/\/$/, ''),
})

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
