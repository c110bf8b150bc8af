import type { Static } from 'typebox'
import type { Commit } from '#code/git/commit.ts'
import { log, type LogFilter, mergeBase } from '#code/git/history.ts'
import { cleanPath } from '#code/git/tree.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import type { PageRange } from '#platform/http/pagination.ts'
import type { CommitFilter } from './parameters.ts'

type Filter = Omit<Static<typeof CommitFilter>, 'page' | 'per_page' | 'pagination'>

/**
 * A part of the commits that a filter finds. An empty repository has none.
 * @throws 404 when `ref_name` names nothing.
 */
export async function listCommits(
  repository: StoredRepository | undefined,
  filter: Filter,
  range: PageRange,
): Promise<readonly Commit[]> {
  if (repository === undefined || repository.row.branch_count + repository.row.tag_count === 0) return []
  const path = filter.path === undefined ? '' : cleanPath(filter.path)
  const start = await startOf(repository, filter)
  if (path === undefined || start === undefined) return []
  const { since, until, author } = filter
  return log(
    repository,
    {
      ...start,
      ...(path !== '' && { paths: [path], follow: filter.follow }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(author !== undefined && author !== '' && { author }),
      firstParent: filter.first_parent,
      order: filter.order ?? 'default',
    },
    range,
  )
}

/** Where the list begins and ends. Undefined where there is nothing. */
async function startOf(
  repository: StoredRepository,
  { ref_name: name, all }: Filter,
): Promise<Pick<LogFilter, 'from' | 'not' | 'all'> | undefined> {
  if (all) return { from: [], all }
  if (name === undefined || name === '') {
    const tip = await requestedCommit(repository, undefined)
    return tip === undefined ? undefined : { from: [tip] }
  }
  const [, before, dots, after] = /^(.*?)(\.{2,3})(.*)$/s.exec(name) ?? []
  if (before === undefined || after === undefined) return { from: [await existing(repository, name)] }
  const [first, second] = [await existing(repository, before), await existing(repository, after)]
  if (dots === '..') return { from: [second], not: [first] }
  const base = await mergeBase(repository, [first, second])
  return { from: [first, second], ...(base !== undefined && { not: [base] }) }
}

async function existing(repository: StoredRepository, name: string): Promise<string> {
  return orNotFound(await requestedCommit(repository, name), 'Commit')
}
