import { contributors as readContributors } from '#code/git/contributors.ts'
import type { Repository } from '#code/git/repository.ts'

/** Somebody who wrote commits, known by their address. */
export interface Contributor {
  readonly name: string
  readonly email: string
  readonly commits: number
}

export type ContributorOrder = 'name' | 'email' | 'commits'

/** Who wrote the commits that a commit reaches, in an order. People with several names have the one they use most. */
export async function listContributors(
  repository: Repository,
  commit: string,
  by: ContributorOrder,
  sort: 'asc' | 'desc',
): Promise<Contributor[]> {
  const byEmail = new Map<string, Contributor>()
  const found = await readContributors(repository, commit)
  for (const one of found.toSorted((a, b) => b.commits - a.commits)) {
    const known = byEmail.get(one.email)
    byEmail.set(one.email, known === undefined ? one : { ...known, commits: known.commits + one.commits })
  }
  const sign = sort === 'asc' ? 1 : -1
  return [...byEmail.values()].toSorted((a, b) => sign * compareBy(by, a, b))
}

function compareBy(by: ContributorOrder, a: Contributor, b: Contributor): number {
  if (by === 'commits' && a.commits !== b.commits) return a.commits - b.commits
  return by === 'email' ? compareTexts(a.email, b.email) : compareTexts(a.name, b.name)
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
