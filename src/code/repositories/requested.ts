import type { FastifyRequest } from 'fastify'
import { BRANCHES } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import type { Commit } from '#code/git/commit.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { notFound } from '#platform/refusals.ts'
import { chosenBranch } from './chosen-branch.ts'
import type { StoredRepository } from './rows.ts'

/** A request whose route names a project. */
type InProject = Pick<FastifyRequest, 'project' | 'server'>

/** The repository of the project that a route names. Undefined when nothing was ever written there. */
export function requestedRepository(req: InProject): Promise<StoredRepository | undefined> {
  return req.server.services.repositories.ofProject(req.project().container.id)
}

/** The same for a write: it is made unless it is there. */
export function requiredRepository(req: InProject): Promise<StoredRepository> {
  const { container } = req.project()
  const owner = { kind: 'project', project: container.id } as const
  return req.server.services.repositories.ensure(owner, chosenBranch(container))
}

/**
 * The id of the commit that a client names: by a branch, a tag, an id or the beginning of one, each with steps back.
 * `HEAD` is the default branch, and so is no name.
 * @returns undefined when there is none, as in an empty repository.
 */
export async function requestedCommit(
  repository: StoredRepository | undefined,
  name: string | undefined,
): Promise<string | undefined> {
  if (repository === undefined) return undefined
  const { default_branch } = repository.row
  const [head, steps = ''] =
    /^HEAD(?=$|[~^])(.*)$/s.exec(name === undefined || name === '' ? 'HEAD' : name) ?? []
  if (head === undefined) return resolveCommit(repository, name ?? '')
  return default_branch === null ? undefined : resolveCommit(repository, BRANCHES + default_branch + steps)
}

/** The same with the commit itself. @throws 404 when there is none */
export async function findCommit(
  repository: StoredRepository | undefined,
  name: string,
): Promise<{ readonly repository: StoredRepository; readonly commit: Commit }> {
  const id = await requestedCommit(repository, name)
  const commit = repository === undefined || id === undefined ? undefined : await readCommit(repository, id)
  if (repository === undefined || commit === undefined) throw notFound('Commit')
  return { repository, commit }
}
