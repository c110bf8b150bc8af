import { projectRule } from '#platform/access/abilities.ts'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { withFurtherRights } from '#platform/access/further-rights.ts'
import { chosenBranch } from '#code/repositories/chosen-branch.ts'
import { NotAllowed, unauthorized } from '#platform/refusals.ts'
import {
  type GitAccess,
  type GitCaller,
  gitRepositories,
  type GitRights,
  RepositoryMoved,
  type Service,
} from './access.ts'

const NO_READING = 'You are not allowed to download code from this project.'
const NO_PUSHING = 'You are not allowed to push code to this project.'
const ARCHIVED = 'This project is archived, so nobody can push to it.'

/**
 * Authorizes a caller for a repository.
 * @param path without `.git`
 * @throws 401 for strangers who may not do this; 404 for a repository that the caller may not see; 403 with the reason for one that they may
 * see, but not use so; {@link RepositoryMoved} after a rename.
 */
export async function authorizeRepository(
  caller: GitCaller,
  path: string,
  service: Service,
): Promise<GitAccess> {
  const { user, by, site } = caller
  const kind = gitRepositories.entries.find((one) => one.named(path))
  const { refusals, ...subject } = await (kind?.authorize(caller, path) ?? ofProject(caller, path, service))
  if (refusals.reading !== undefined) {
    throw user === undefined ? unauthorized() : new NotAllowed(refusals.reading)
  }
  if (service === 'git-receive-pack') {
    if (user === undefined) throw unauthorized()
    if (refusals.writing !== undefined) throw new NotAllowed(refusals.writing)
  }
  return { ...subject, userId: user?.id ?? null, person: user && { user, viewer: caller.viewer }, site, by }
}

async function ofProject(
  { services: { db }, viewer }: GitCaller,
  path: string,
  service: Service,
): Promise<GitRights> {
  const find = (idOrPath: string) => authorizeProject(db, viewer, idOrPath, 'read_project')
  const authorized = await find(path).catch(async (error: unknown) => {
    if (!(error instanceof Moved)) throw error
    throw new RepositoryMoved((await find(String(error.id))).container.full_path)
  })
  const { container, can } = authorized
  const looksFurther = service === 'git-receive-pack' && !can('commit_code')
  const accessContext = looksFurther
    ? await withFurtherRights(db, viewer, authorized, 'commit_code')
    : authorized.accessContext
  const mayPush = projectRule('commit_code')(accessContext)
  return {
    owner: { kind: 'project', project: container.id },
    defaultBranch: chosenBranch(container),
    accessContext,
    refusals: {
      reading: can('download_code') ? undefined : NO_READING,
      writing: accessContext.archived ? ARCHIVED : mayPush ? undefined : NO_PUSHING,
    },
  }
}
