import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { presentCommits, projectUrlOf } from '#code/commits/present.ts'
import { BRANCHES } from '#code/git/names.ts'
import { readCommits } from '#code/git/objects.ts'
import { mergedInto, readReferences, type Reference } from '#code/git/references.ts'
import { rightsOn } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { Branch } from './entity.ts'

/** Presents branches: one process and one statement, however many they are. */
export async function presentBranches(
  req: FastifyRequest,
  repository: StoredRepository,
  branches: readonly Reference[],
): Promise<Static<typeof Branch>[]> {
  const { container, accessContext, can } = req.project()
  const { id: userId, today } = req.viewer
  const { default_branch } = repository.row
  const ids = branches.map(({ id }) => id)
  const [commits, merged, protections] = await Promise.all([
    readCommits(repository, ids),
    mergedAmong(repository, branches),
    protectionsOf(req.server.db, { projectId: container.id, kind: 'branch', userId, today }),
  ])
  const presented = await presentCommits(req, repository, commits)
  const byId = new Map(presented.map((commit) => [commit.id, commit]))
  const caller = { accessContext, userId, mayPush: can('push_code') }
  return branches.flatMap((branch) => {
    const name = branch.name.slice(BRANCHES.length)
    const commit = byId.get(branch.id)
    if (commit === undefined) return []
    return {
      name,
      commit,
      merged: merged.has(branch.id),
      ...rightsOn(protections, name, caller),
      default: name === default_branch,
      web_url: `${projectUrlOf(req)}/-/tree/${name.split('/').map(encodeURIComponent).join('/')}`,
    }
  })
}

/** The ids of those whose commits the default branch has. One that points at the same commit has nothing to merge. */
async function mergedAmong(
  repository: StoredRepository,
  branches: readonly Reference[],
): Promise<ReadonlySet<string>> {
  const { last_commit_sha: tip } = repository.row
  if (tip === null) return new Set()
  const ids = [...new Set(branches.flatMap(({ id }) => (id === tip ? [] : id)))]
  const ask = async (missing: readonly string[]) => {
    const asked = new Set(missing)
    const names = branches.flatMap(({ id, name }) => (asked.has(id) ? name : []))
    const merged = new Set((await mergedInto(repository, tip, names)).map(({ id }) => id))
    // Git was asked about names. Of one that points elsewhere by now, it has not said anything about this commit.
    const now = await readReferences(repository, names)
    const still = branches.filter(({ id, name }) => asked.has(id) && now.get(name) === id)
    return new Map(still.map(({ id }) => [id, merged.has(id)]))
  }
  const kind = `merged into ${tip}`
  const answers = await repository.git.kept.answers(repository, kind, ids, ask, { bytes: () => 8 })
  return new Set(ids.filter((id) => answers.get(id) === true))
}
