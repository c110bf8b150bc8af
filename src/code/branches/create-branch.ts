import type { FastifyRequest } from 'fastify'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import type { Reference } from '#code/git/references.ts'
import { changeAs } from '#code/repositories/change-as.ts'
import { namedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { refusal } from '#platform/http/errors.ts'
import { branchNamed } from './find-branch.ts'

const exists = () => refusal('Branch already exists')

/**
 * Makes a branch.
 * @param ref what it begins with: a branch, a tag or an id
 * @throws 400 when there is one already, or nothing of the name `ref`; 403 when the branch is protected.
 */
export async function createBranch(
  req: FastifyRequest,
  repository: StoredRepository | undefined,
  { branch, ref }: { readonly branch: string; readonly ref: string },
): Promise<{ readonly repository: StoredRepository; readonly branch: Reference }> {
  const id = await namedCommit(repository, ref)
  if (repository === undefined || id === undefined) throw refusal(`Invalid reference name: ${ref}`)
  if ((await branchNamed(repository, branch)) !== undefined) throw exists()
  const name = BRANCHES + branch
  const onConflict = async () =>
    (await branchNamed(repository, branch)) === undefined ? undefined : exists()
  await changeAs(req, repository, { ref: name, before: NO_OBJECT, after: id }, { onConflict })
  return { repository, branch: { name, id } }
}
