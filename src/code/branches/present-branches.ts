import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { presentCommits, projectUrlOf } from '#code/commits/present.ts'
import { BRANCHES } from '#code/git/names.ts'
import { readCommits } from '#code/git/objects.ts'
import { mergedInto, type Reference } from '#code/git/references.ts'
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
    mergedBranches(repository, branches),
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
      merged: merged.has(branch.name),
      ...rightsOn(protections, name, caller),
      default: name === default_branch,
      web_url: `${projectUrlOf(req)}/-/tree/${name.split('/').map(encodeURIComponent).join('/')}`,
    }
  })
}

/** Those whose commits the default branch has. One that points at the same commit has nothing to merge. */
export async function mergedBranches(
  repository: StoredRepository,
  branches: readonly Reference[],
): Promise<ReadonlySet<string>> {
  const { last_commit_sha: tip } = repository.row
  const others = branches.filter(({ id }) => id !== tip)
  if (tip === null || others.length === 0) return new Set()
  const names = others.map(({ name }) => name)
  // Many names do not fit into a command line.
  const found = await mergedInto(repository, tip, names.length > 100 ? [BRANCHES] : names)
  return new Set(found.filter(({ id }) => id !== tip).map(({ name }) => name))
}
