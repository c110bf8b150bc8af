import type { FastifyRequest } from 'fastify'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import type { Reference } from '#code/git/references.ts'
import type { Commit } from '#code/git/commit.ts'
import { createCommit } from '#code/commits/writing/create-commit.ts'
import { assertName, changeAs } from '#code/repositories/change-as.ts'
import { chosenBranch } from '#code/repositories/chosen-branch.ts'
import { requestedCommit, requestedRepository, requiredRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { known, refusal } from '#platform/refusals.ts'
import { findBranchByName } from './find-branch.ts'

const exists = () => refusal(known('branch-exists'))

/**
 * Makes a branch. In an empty repository, one that begins with the default branch begins with a first commit, which is made.
 * @param ref what it begins with: a branch, a tag or an id
 * @throws 400 when there is one already, or nothing of the name `ref`; 403 when the branch is protected.
 */
export async function createBranch(
  req: FastifyRequest,
  { branch, ref }: { readonly branch: string; readonly ref: string },
): Promise<{ readonly repository: StoredRepository; readonly branch: Reference }> {
  const first = await firstCommit(req, { branch, ref })
  const repository = await requestedRepository(req)
  const id = await requestedCommit(repository, ref)
  if (repository === undefined || id === undefined) throw refusal(`Invalid reference name: ${ref}`)
  const name = BRANCHES + branch
  if ((await findBranchByName(repository, branch)) !== undefined) {
    if (first?.id === id && ref === branch) return { repository, branch: { name, id } }
    throw exists()
  }
  const onConflict = async () =>
    (await findBranchByName(repository, branch)) === undefined ? undefined : exists()
  await changeAs(req, repository, { ref: name, before: NO_OBJECT, after: id }, { onConflict })
  return { repository, branch: { name, id } }
}

/** Makes the first commit where a branch needs it. Undefined where there is one, or it would not help. */
async function firstCommit(
  req: FastifyRequest,
  { branch, ref }: { readonly branch: string; readonly ref: string },
): Promise<Commit | undefined> {
  const { repositories } = req.server.services
  const known = await requestedRepository(req)
  if (known !== undefined && known.row.branch_count > 0) return undefined
  const main = chosenBranch(req.project().container) ?? repositories.defaultBranch
  if (ref !== main) return undefined
  assertName({ ref: BRANCHES + branch, before: NO_OBJECT, after: '' })
  const actions = [{ action: 'create', file_path: 'README.md', content: '' }] as const
  const repository = await requiredRepository(req)
  return createCommit(req, repository, { branch: main, message: 'Add README.md', actions })
}
