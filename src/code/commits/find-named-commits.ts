import { codeReadableAt } from '#code/repositories/abilities.ts'
import { objectInfo, readCommits } from '#code/git/objects.ts'
import { sql } from 'kysely'
import type { CommitFinder } from '#planning/markup/resolve-commits.ts'
import { visibleTo } from '#platform/access/visible.ts'
import { Refusal } from '#platform/refusals.ts'

/** Bytes of a commit that is read for its title. */
const MAX_BYTES = 64 * 1024

/** The commits that texts name, for links. Where git has no answer, they stay text: the page that shows them needs no repository. */
export const findNamedCommits: CommitFinder = async (reader, path, shas) => {
  try {
    return await find(reader, path, shas)
  } catch (error) {
    if (error instanceof Refusal) return new Map()
    throw error
  }
}

const find: CommitFinder = async ({ services, viewer }, path, shas) => {
  const project = await services.db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['p.id', 'n.full_path'])
    .where(sql<boolean>`lower(n.full_path) = ${path.toLowerCase()}`)
    .where(visibleTo('n', viewer))
    .where(codeReadableAt('p.settings', 'n', viewer))
    .executeTakeFirst()
  if (project === undefined) return new Map()
  const repository = await services.repositories.ofProject(project.id)
  if (repository === undefined) return new Map()
  const infos = await Promise.all(shas.map(async (sha) => ({ sha, info: await objectInfo(repository, sha) })))
  // A branch may have such a name, too: that is not what the text names.
  const named = infos.flatMap(({ sha, info }) =>
    info?.type === 'commit' && info.size <= MAX_BYTES && info.id.startsWith(sha)
      ? [{ sha, id: info.id }]
      : [],
  )
  const read = await readCommits(repository, [...new Set(named.map(({ id }) => id))])
  const titles = new Map(read.map(({ id, title }) => [id, title]))
  return new Map(
    named.map(({ sha, id }) => [
      sha,
      { page: `${project.full_path}/-/commit/${id}`, title: titles.get(id) ?? '', reference: null },
    ]),
  )
}
