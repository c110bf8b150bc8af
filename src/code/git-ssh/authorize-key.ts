import type { FastifyInstance } from 'fastify'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { projectRule } from '#platform/access/abilities.ts'
import { dayOf } from '#platform/http/time.ts'
import { NotAllowed, notFound, NotFound, Unidentified } from '#platform/refusals.ts'
import { type GitAccess, type GitCaller, RepositoryMoved, type Service } from '#code/git-transport/access.ts'
import { authorizeRepository } from '#code/git-transport/authorize-repository.ts'
import { authorizePush } from '#code/git-transport/push-to-create.ts'
import { contextOfMachine, type ProjectOfMachine } from '#code/git-transport/machines.ts'
import { chosenBranch } from '#code/repositories/chosen-branch.ts'
import type { KnownKey } from './ssh-keys.ts'

type Services = FastifyInstance['services']

/** A request over SSH: where it comes from, and its number in the log. */
export interface SshOrigin {
  readonly ip: string
  readonly requestId: string
}

const NO_PUSHING = 'This deploy key may only read this project.'
const ARCHIVED = 'This project is archived, so nobody can push to it.'

/** A repository that somebody may use, and where it is, if it was asked for by a former path. */
export interface FoundAccess extends GitAccess {
  readonly movedTo: string | undefined
}

/**
 * Authorizes the holder of a key for a repository. A former path counts as the present one.
 * @param authorizePerson what decides about people; by default it makes nothing
 * @throws 404 for a repository that they may not see; 403 with the reason for one that they may see, but not use so.
 */
export async function authorizeKey(
  services: Services,
  key: KnownKey,
  path: string,
  service: Service,
  origin: SshOrigin,
  authorizePerson: AuthorizePerson = authorizeRepository,
): Promise<FoundAccess> {
  const authorize = (there: string) =>
    key.isDeployKey
      ? forMachine(services, key, there, service, origin)
      : authorizePerson(callerOf(services, key, origin), there, service)
  try {
    return { ...(await authorize(path)), movedTo: undefined }
  } catch (error) {
    if (!(error instanceof RepositoryMoved)) throw error
    return { ...(await authorize(error.path)), movedTo: error.path }
  }
}

/** Decides about people. */
type AuthorizePerson = (caller: GitCaller, path: string, service: Service) => Promise<GitAccess>

/** For {@link authorizeKey}: a project to which somebody pushes is made, if it is not there. */
export const makingProjects: AuthorizePerson = (caller, path, service) =>
  service === 'git-receive-pack'
    ? authorizePush(caller, path, caller.services.sshSite() ?? `${caller.site}/`)
    : authorizeRepository(caller, path, service)

function callerOf(services: Services, { user }: Pick<KnownKey, 'user'>, origin: SshOrigin): GitCaller {
  const viewer: Viewer = {
    id: user?.id ?? null,
    admin: user?.admin ?? false,
    external: user?.external ?? false,
    today: dayOf(services.clock.now()),
    closed: services.addressRules.closedTo(origin.ip),
  }
  return { services, user, viewer, by: writtenBy(user, origin), site: services.site() }
}

const writtenBy = (user: KnownKey['user'], { ip, requestId }: SshOrigin): WrittenBy => ({
  author: user ?? null,
  ip,
  requestId,
})

/** A deploy key reaches the projects in which it is enabled, and what strangers may read. */
async function forMachine(
  services: Services,
  key: KnownKey,
  path: string,
  service: Service,
  origin: SshOrigin,
): Promise<GitAccess> {
  const stranger = callerOf(services, { user: undefined }, origin)
  const found = await enabledProject(services, key, path, stranger.viewer)
  if (found === undefined) {
    // Whoever reads nothing there learns nothing of what is there.
    return authorizeRepository(stranger, path, service).catch((error: unknown) => {
      throw error instanceof Unidentified || error instanceof NotAllowed ? notFound('Project') : error
    })
  }
  const { container: project, canPush } = found
  const accessContext = contextOfMachine(found, canPush ? levels.developer : levels.reporter)
  if (!projectRule('download_code')(accessContext)) throw notFound('Project')
  if (service === 'git-receive-pack') {
    if (accessContext.archived) throw new NotAllowed(ARCHIVED)
    if (!canPush) throw new NotAllowed(NO_PUSHING)
  }
  return {
    owner: { kind: 'project', project: project.id },
    defaultBranch: chosenBranch(project),
    accessContext,
    userId: null,
    by: writtenBy(key.user, origin),
    site: services.site(),
  }
}

/** The project at a path, if the key is enabled there. The key decides what it reaches, so the look-up itself hides nothing. */
async function enabledProject(
  { db }: Services,
  { id }: KnownKey,
  path: string,
  viewer: Viewer,
): Promise<(ProjectOfMachine & { readonly canPush: boolean }) | undefined> {
  const find = async (idOrPath: string) => {
    const all = { ...viewer, admin: true }
    const { container, accessContext } = await authorizeProject(db, all, idOrPath, 'read_project')
    const enabled = await db
      .selectFrom('deploy_key_projects')
      .select('can_push')
      .where('key_id', '=', id)
      .where('project_id', '=', container.id)
      .executeTakeFirst()
    return enabled && { container, accessContext, canPush: enabled.can_push }
  }
  try {
    return await find(path)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    if (!(error instanceof Moved)) throw error
    const moved = await find(String(error.id))
    if (moved === undefined) return undefined
    throw new RepositoryMoved(moved.container.full_path)
  }
}
