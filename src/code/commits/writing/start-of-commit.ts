import type { FastifyRequest } from 'fastify'
import { findBranchByName } from '#code/branches/find-branch.ts'
import { isObjectId, NO_OBJECT } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { known, refusal } from '#platform/refusals.ts'

/** Where a new commit begins. */
export interface StartParameters {
  readonly branch: string
  readonly start_branch?: string
  readonly start_sha?: string
  /** The project that has the start; by default the same one. */
  readonly start_project?: string
  /** Whether the branch may lose commits. */
  readonly force?: boolean
}

export interface Start {
  /** What the branch points at now; no object for a new one. */
  readonly before: string
  /** The parent of the new commit; undefined for the first one of a repository. */
  readonly commit: string | undefined
  /** The repository that has it. */
  readonly source: StoredRepository
}

/**
 * Finds where a new commit begins.
 * @throws 400 when there is no such start, or the branch exists and would have to begin anew.
 */
export async function startOf(
  req: FastifyRequest,
  repository: StoredRepository,
  asked: StartParameters,
): Promise<Start> {
  const { branch, start_branch = '', start_sha = '', start_project = '', force = false } = asked
  const tip = (await findBranchByName(repository, branch))?.id
  const before = tip ?? NO_OBJECT
  const isSame = start_sha === '' && start_project === '' && (start_branch === '' || start_branch === branch)
  if (isSame) {
    // The first commit of an empty repository has no parent.
    if (tip === undefined && repository.row.branch_count > 0) {
      throw notOnBranch(branch)
    }
    return { before, commit: tip, source: repository }
  }
  const source = start_project === '' ? repository : await sourceOf(req, start_project)
  const commit =
    start_sha === '' ? await tipOf(source, start_branch || branch) : await commitOf(source, start_sha)
  if (tip !== undefined && !force) throw refusal(EXISTS(branch))
  return { before, commit, source }
}

const EXISTS = (branch: string) =>
  `A branch called '${branch}' already exists. Switch to that branch in order to make changes`

const notOnBranch = (branch: string) =>
  refusal(
    known('not-on-branch'),
    `the branch ${branch} does not exist; start_branch or start_sha say where a new one begins`,
  )

async function tipOf(source: StoredRepository, name: string): Promise<string> {
  const found = await findBranchByName(source, name)
  if (found === undefined) throw notOnBranch(name)
  return found.id
}

async function commitOf(source: StoredRepository, id: string): Promise<string> {
  if (!isObjectId(id)) throw refusal(`Invalid start_sha '${id}'`)
  const found = await readCommit(source, id)
  if (found === undefined) throw refusal(`Cannot find start_sha '${id}'`)
  return found.id
}

/** The repository of another project, whose code the caller can read. @throws 404, 403 */
async function sourceOf(req: FastifyRequest, idOrPath: string): Promise<StoredRepository> {
  const { db, services } = req.server
  const { container } = await authorizeNamedProject(db, req.viewer, idOrPath, 'download_code')
  const found = await services.repositories.ofProject(container.id)
  if (found === undefined) throw refusal('The start project has no repository')
  return found
}
