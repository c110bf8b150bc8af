import type { FastifyRequest } from 'fastify'
import type { AccessContext } from '#platform/access/access-context.ts'
import { authorizeGroup, authorizeProject, Moved } from '#platform/access/authorize.ts'
import type { ProjectOrGroup } from '#platform/access/projects-and-groups.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { NotFound } from '#platform/refusals.ts'
import { type GitRepositories, type GitRights, movedToPath } from '#code/git-http/authorize-git.ts'
import { groupWikis } from './tier.ts'
import { ownerOf } from './wiki.ts'

const SUFFIX = '.wiki'

/** Wikis for git: `/group/project.wiki.git` and `/group.wiki.git`. */
export const wikisForGit: GitRepositories = {
  named: (path) => path.endsWith(SUFFIX),
  async authorize(request, path) {
    const container = path.slice(0, -SUFFIX.length)
    try {
      return await inProject(request, container)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
    }
    return inGroup(request, container)
  },
}

async function inProject(request: FastifyRequest, path: string): Promise<GitRights> {
  const { db } = request.server
  const find = (idOrPath: string) => authorizeProject(db, request.viewer, idOrPath, 'read_project')
  const { container, accessContext, can } = await find(path).catch(movedBy(request, find))
  return rights('project', container.id, accessContext, can)
}

async function inGroup(request: FastifyRequest, path: string): Promise<GitRights> {
  const { db, services } = request.server
  const find = (idOrPath: string) =>
    authorizeGroup(db, request.viewer, idOrPath, 'read_group', { name: 'Project' })
  const { container, accessContext, can } = await find(path).catch(movedBy(request, find))
  assertTier(groupWikis, services)
  return rights('group', container.id, accessContext, can)
}

/** Redirects to where a project or group is now. */
const movedBy =
  (
    request: FastifyRequest,
    find: (idOrPath: string) => Promise<{ readonly container: { readonly full_path: string } }>,
  ) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Moved)) throw error
    const { container } = await find(String(error.id))
    throw movedToPath(request, container.full_path + SUFFIX)
  }

function rights(
  kind: ProjectOrGroup['kind'],
  id: number,
  accessContext: AccessContext,
  can: (ability: 'read_wiki' | 'edit_wiki') => boolean,
): GitRights {
  return {
    owner: ownerOf(kind, id),
    accessContext,
    refusals: {
      reading: can('read_wiki') ? undefined : `You are not allowed to read the wiki of this ${kind}.`,
      writing: accessContext.archived
        ? `This ${kind} is archived, so nobody can push to its wiki.`
        : can('edit_wiki')
          ? undefined
          : `You are not allowed to change the wiki of this ${kind}.`,
    },
  }
}
