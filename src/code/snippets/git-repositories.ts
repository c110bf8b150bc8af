import {
  type GitCaller,
  type GitRepositories,
  type GitRights,
  RepositoryMoved,
} from '#code/git-transport/access.ts'
import type { RepositoryOwner } from '#code/repositories/rows.ts'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { personalPlace, placeIn, type SnippetPlace } from './place.ts'
import { findSnippet } from './queries.ts'

const PATH = /^(?:(.+)\/)?snippets\/(\d{1,15})$/

/** Snippets for git: `/snippets/12.git` and `/group/project/snippets/12.git`. No project has a number for its path. */
export const snippetsForGit: GitRepositories = {
  named: (path) => PATH.test(path),
  async authorize(caller, path) {
    const [, project, id] = PATH.exec(path) ?? []
    return project === undefined
      ? rights(caller, personalPlace(caller.viewer, caller.services.db), Number(id))
      : inProject(caller, project, Number(id))
  },
}

const CLOSED = 'You are not allowed to read the snippets of this project.'
const ARCHIVED = 'This project is archived, so nobody can push to its snippets.'
const NO_CHANGE = 'You are not allowed to change this snippet.'

async function inProject(caller: GitCaller, path: string, id: number): Promise<GitRights> {
  const { services, viewer } = caller
  const find = (idOrPath: string) => authorizeProject(services.db, viewer, idOrPath, 'read_project')
  const authorized = await find(path).catch(async (error: unknown) => {
    if (!(error instanceof Moved)) throw error
    const { container } = await find(String(error.id))
    throw new RepositoryMoved(`${container.full_path}/snippets/${id}`)
  })
  const place = placeIn(viewer, authorized)
  if (authorized.can('read_snippet')) return rights(caller, place, id)
  const { accessContext } = place
  return { owner: ownerOf(id), accessContext, refusals: { reading: CLOSED, writing: CLOSED } }
}

async function rights({ services }: GitCaller, place: SnippetPlace, id: number): Promise<GitRights> {
  const { accessContext, scope } = place
  const snippet = await findSnippet(services.db, scope, id)
  const writing = accessContext.archived ? ARCHIVED : place.mayChange(snippet) ? undefined : NO_CHANGE
  return { owner: ownerOf(id), accessContext, refusals: { reading: undefined, writing } }
}

const ownerOf = (id: number): RepositoryOwner => ({ kind: 'snippet', snippet: id })
