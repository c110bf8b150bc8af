import type { FastifyRequest } from 'fastify'
import type { AuthorizedContainer, ProjectOrGroup } from '#platform/access/projects-and-groups.ts'
import { BRANCHES } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { RepositoryOwner, StoredRepository } from '#code/repositories/rows.ts'
import { notFound } from '#platform/refusals.ts'
import type { Surroundings } from '#planning/markup/render-markdown.ts'
import { uploadsOfPlace } from '#planning/uploads/addresses.ts'

/** The wiki of the project or group that a request names. */
export interface Wiki {
  readonly authorized: AuthorizedContainer
  readonly owner: RepositoryOwner
  /** The id of the row in `namespaces`. */
  readonly namespaceId: number
}

/** Whose repository the wiki of a project or group is. */
export const ownerOf = (kind: ProjectOrGroup['kind'], id: number): RepositoryOwner =>
  kind === 'project' ? { kind: 'wiki', project: id } : { kind: 'group_wiki', group: id }

export function wikiOf(req: FastifyRequest, { kind, open }: ProjectOrGroup): Wiki {
  const authorized = open(req)
  const { id, namespace_id } = authorized.container
  return { authorized, owner: ownerOf(kind, id), namespaceId: namespace_id }
}

/** The address of a wiki's pages. */
function addressOf({ site }: FastifyRequest, { authorized: { container } }: Wiki): string {
  const group = container.kind === 'group' ? 'groups/' : ''
  return `${site}/${group}${container.full_path}/-/wikis`
}

/** What the pages of a wiki lead to. */
export const surroundingsOf = (req: FastifyRequest, wiki: Wiki): Surroundings => {
  const { kind, full_path } = wiki.authorized.container
  return { wiki: addressOf(req, wiki), uploads: uploadsOfPlace(kind, full_path) }
}

/** A commit of a wiki. */
export interface WikiCommit {
  readonly repository: StoredRepository
  readonly commit: string
}

/**
 * The last commit of a wiki, or the one that a client names. Undefined when there is none, as in a wiki that nobody has
 * written to.
 */
export async function commitOf(
  req: FastifyRequest,
  { owner }: Wiki,
  version?: string,
): Promise<WikiCommit | undefined> {
  const repository = await req.server.services.repositories.find(owner)
  const { default_branch = null } = repository?.row ?? {}
  const name = version ?? (default_branch === null ? undefined : BRANCHES + default_branch)
  if (repository === undefined || name === undefined) return undefined
  const commit = await resolveCommit(repository, name)
  return commit === undefined ? undefined : { repository, commit }
}

export const pageNotFound = () => notFound('Wiki Page')
