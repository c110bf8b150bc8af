import type { AccessContext } from '#platform/access/access-context.ts'
import { authorizeGroup, authorizeProject, Moved } from '#platform/access/authorize.ts'
import type { ProjectOrGroup } from '#platform/access/projects-and-groups.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { NotFound } from '#platform/refusals.ts'
import {
  type GitCaller,
  type GitRepositories,
  type GitRights,
  RepositoryMoved,
} from '#code/git-transport/access.ts'
import { groupWikis } from './tier.ts'
import { ownerOf } from './wiki.ts'

const SUFFIX = '.wiki'

/** Wikis for git: `/group/project.wiki.git` and `/group.wiki.git`. */
export const wikisForGit: GitRepositories = {
  named: (path) => path.endsWith(SUFFIX),
  async authorize(caller, path) {
    const container = path.slice(0, -SUFFIX.length)
    try {
      return await inProject(caller, container)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
    }
    return inGroup(caller, container)
  },
}

async function inProject({ services: { db }, viewer }: GitCaller, path: string): Promise<GitRights> {
  const find = (idOrPath: string) => authorizeProject(db, viewer, idOrPath, 'read_project')
  const { container, accessContext, can } = await find(path).catch(movedBy(find))
  return rights('project', container.id, accessContext, can)
}

async function inGroup({ services, viewer }: GitCaller, path: string): Promise<GitRights> {
  const find = (idOrPath: string) =>
    authorizeGroup(services.db, viewer, idOrPath, 'read_group', { name: 'Project' })
  const { container, accessContext, can } = await find(path).catch(movedBy(find))
  assertTier(groupWikis, services)
  return rights('group', container.id, accessContext, can)
}

/** Redirects to where a project or group is now. */
const movedBy =
  (find: (idOrPath: string) => Promise<{ readonly container: { readonly full_path: string } }>) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Moved)) throw error
    const { container } = await find(String(error.id))
    throw new RepositoryMoved(container.full_path + SUFFIX)
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
