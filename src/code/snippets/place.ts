import type { FastifyRequest } from 'fastify'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { forbidden } from '#platform/refusals.ts'
import type { SnippetRow } from './entity.ts'
import type { SnippetScope } from './queries.ts'

/** What snippets that a request names belong to: a project, or persons. */
export interface SnippetPlace {
  readonly scope: SnippetScope
  /** Whether the caller may change or delete a snippet that they see. */
  mayChange(snippet: Pick<SnippetRow, 'author'>): boolean
  /** The caller's rights on the repository of a snippet that they may change. */
  readonly accessContext: AccessContext
  /** The namespace of a new snippet. @throws 403 where the caller has none */
  home(): Promise<SnippetHome>
}

export interface SnippetHome extends TreePosition {
  readonly full_path: string
  readonly projectId: number | null
}

/** The project in the path. */
export const placeInProject = (req: FastifyRequest): SnippetPlace => placeIn(req.viewer, req.project())

/** A project. Authors change their own snippets as long as they may create some, and Maintainers all. */
export function placeIn(
  viewer: Viewer,
  { container, accessContext, can }: Pick<AuthorizedProject, 'container' | 'accessContext' | 'can'>,
): SnippetPlace {
  return {
    scope: { viewer, project: { id: container.id, seesAll: can('read_private_snippet') } },
    mayChange: ({ author }) => can('admin_snippet') || (can('create_snippet') && author.id === viewer.id),
    accessContext,
    home: async () => ({ ...container, projectId: container.id }),
  }
}

/** Snippets of persons. Only their authors, and administrators, change them. */
export function personalPlace(viewer: Viewer, db: Db): SnippetPlace {
  return {
    scope: { viewer, project: null },
    mayChange: ({ author }) => viewer.admin || author.id === viewer.id,
    accessContext: contextOfOwner(viewer),
    home: () => ownNamespace(viewer, db),
  }
}

/** Rights as of an owner: what decides about snippets of persons has been decided already. */
const contextOfOwner = ({ admin, external }: Viewer): AccessContext => ({
  level: levels.owner,
  visibility: 'private',
  signedIn: true,
  external,
  admin,
  archived: false,
  readsBelow: false,
  closed: false,
})

/** External users, and bots of projects and groups, have no snippets of their own. */
async function ownNamespace(viewer: Viewer, db: Db): Promise<SnippetHome> {
  const namespace = await db
    .selectFrom('namespaces')
    .select(['id as namespace_id', 'traversal_ids', 'full_path'])
    .where('owner_id', '=', viewer.id)
    .where('kind', '=', 'user')
    .executeTakeFirst()
  if (namespace === undefined || viewer.external) throw forbidden()
  return { ...namespace, projectId: null }
}
