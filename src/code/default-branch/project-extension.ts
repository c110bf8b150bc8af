import type { FastifyRequest } from 'fastify'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { invalid } from '#platform/refusals.ts'
import type { ExtensionParameters, ProjectExtension } from '#tenancy/projects/extension-points.ts'
import { isShortName } from '#code/git/names.ts'
import { type BranchSummary, summaryWith } from '#code/repositories/summary.ts'
import { changeDefaultBranch, settleDefaultBranch } from './change-default-branch.ts'

/** Under this name the check of a request leaves what it has read of the branch. No client can send it. */
const chosen: unique symbol = Symbol('chosen default branch')

interface RepositorySummary {
  readonly repositoryId: number
  /** Undefined while the repository has no branch. */
  readonly summary: BranchSummary | undefined
}

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionParameters {
    readonly [chosen]?: RepositorySummary
  }
}

/** Lets `PUT /projects/:id` choose another default branch. */
export const defaultBranchOfProjects: ProjectExtension = {
  async check(asked, req) {
    const branch = branchIn(req.body)
    if (branch === undefined) return
    if (!isShortName(branch)) throw invalidDefaultBranch('is not a name that git allows')
    const found = await choose(req, branch)
    if (found !== undefined) Object.assign(asked, { [chosen]: found })
  },
  async afterChange(tx, _, asked: ExtensionParameters) {
    const { repositoryId, summary } = asked[chosen] ?? {}
    if (repositoryId === undefined) return
    if (summary !== undefined) await changeDefaultBranch(tx, repositoryId, summary)
    await enqueue(tx, settleDefaultBranch, { repository_id: repositoryId })
  },
}

const invalidDefaultBranch = (text: string) => invalid({ default_branch: [text] })

function branchIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('default_branch' in body)) return undefined
  const { default_branch } = body
  return typeof default_branch === 'string' && default_branch !== '' ? default_branch : undefined
}

/** A project that has branches can only choose one of them; another one chooses the name of its first branch. */
async function choose(req: FastifyRequest, branch: string): Promise<RepositorySummary | undefined> {
  // A project that is being made has no repository yet.
  if (req.authorizedProject === undefined) return undefined
  const { id } = req.authorizedProject.container
  const repository = await req.server.services.repositories.ofProject(id)
  if (repository === undefined || branch === repository.row.default_branch) return undefined
  const { row } = repository
  if (row.branch_count === 0) return { repositoryId: row.id, summary: undefined }
  const summary = await summaryWith(repository, row, branch)
  if (summary === undefined) throw invalidDefaultBranch('is not a branch of the repository')
  return { repositoryId: row.id, summary }
}
