import type { FastifyRequest } from 'fastify'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { listReferences, mergedInto, type Reference } from '#code/git/references.ts'
import { protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { changeAllAs, changeAs } from '#code/repositories/change-as.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { known, notPossible } from '#platform/refusals.ts'

/**
 * Deletes a branch.
 * @throws 405 for the default branch, 403 for a protected one.
 */
export async function deleteBranch(
  req: FastifyRequest,
  repository: StoredRepository,
  { name, id }: Reference,
): Promise<void> {
  if (name.slice(BRANCHES.length) === repository.row.default_branch) {
    throw notPossible(known('default-branch'))
  }
  await changeAs(req, repository, { ref: name, before: id, after: NO_OBJECT })
}

/** Deletes all branches that the default branch has merged, but for those that are protected. */
export async function deleteMergedBranches(req: FastifyRequest, repository: StoredRepository): Promise<void> {
  const { today } = req.viewer
  const query = { projectId: req.project().container.id, kind: 'branch', userId: null, today } as const
  const [all, protections] = await Promise.all([
    listReferences(repository, BRANCHES),
    protectionsOf(req.server.db, query),
  ])
  const tip = repository.row.last_commit_sha
  // Where a branch points at the same commit, there was nothing to merge.
  const found = tip === null ? [] : await mergedInto(repository, tip, [BRANCHES])
  const merged = new Set(found.filter(({ id }) => id !== tip).map(({ name }) => name))
  const changes = all
    .filter(({ name }) => {
      const short = name.slice(BRANCHES.length)
      const isKept = short === repository.row.default_branch || protecting(protections, short).length > 0
      return merged.has(name) && !isKept
    })
    .map(({ name, id }) => ({ ref: name, before: id, after: NO_OBJECT }))
  if (changes.length > 0) await changeAllAs(req, repository, changes)
}
