import type { FastifyRequest } from 'fastify'
import { type ProjectAbility, projectRule } from '#platform/access/abilities.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import { type AuthorizedProject, authorizeProject } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { ActingJob, Viewer } from '#platform/access/viewer.ts'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { forbidden, NotAllowed, NotFound, unauthorized, Unidentified } from '#platform/refusals.ts'
import { contextOfMachine } from '#code/git-transport/machines.ts'
import type { Action, Puller } from '../oci/bearer.ts'
import { denied, nameUnknown, RegistryError } from '../oci/errors.ts'
import { challenge, hasScope } from '../oci/identify.ts'
import { scopeOf } from '../oci/scopes.ts'
import { projectNamed } from './names.ts'

/** A repository that a caller may use as they asked, whether or not anything was pushed to it. */
export interface RepositoryAccess {
  /** As the client sent it. */
  readonly name: string
  readonly project: { readonly id: number; readonly namespace_id: number; readonly full_path: string }
  /** What follows the project's path. */
  readonly rest: string
  readonly role: Pick<AccessContext, 'level' | 'admin'>
  readonly by: WrittenBy
}

const abilities: Readonly<Record<Action, ProjectAbility>> = {
  pull: 'read_container_image',
  push: 'create_container_image',
  delete: 'destroy_container_image',
}

/**
 * Authorizes a caller for a repository of a project.
 * @throws 401 for strangers; 404 where the caller may not know that the project exists; 403 where they
 * may
 */
export async function authorizeRepository(
  request: FastifyRequest,
  puller: Puller,
  name: string,
  action: Action,
): Promise<RepositoryAccess> {
  try {
    assertScope(puller, action)
    const named = await projectNamed(request.server.db, name)
    if (named === undefined) throw nameUnknown()
    const { container, accessContext } = await authorize(request, puller, named.projectId, action)
    return {
      name,
      project: container,
      rest: named.rest,
      role: accessContext,
      by: {
        author: puller.kind === 'user' ? { id: puller.id, username: puller.username } : null,
        ip: request.ip,
        requestId: request.id,
      },
    }
  } catch (error) {
    // A stranger learns nothing of what is there, and is sent for a token that says who they are.
    const isRefused =
      error instanceof NotFound || error instanceof NotAllowed || error instanceof RegistryError
    if (error instanceof Unidentified || (puller.kind === 'anonymous' && isRefused))
      throw challenge(request, scopeOf(name, wanted[action]))
    if (error instanceof NotFound) throw nameUnknown()
    throw error instanceof NotAllowed ? denied() : error
  }
}

/** What clients ask a token for, who want to do something: they ask first what is there. */
export const wanted: Readonly<Record<Action, readonly Action[]>> = {
  pull: ['pull'],
  push: ['pull', 'push'],
  delete: ['pull', 'delete'],
}

function assertScope(puller: Puller, action: Action): void {
  if (puller.kind === 'anonymous') {
    if (action !== 'pull') throw unauthorized()
    return
  }
  const may =
    action === 'pull'
      ? hasScope(puller, 'api', 'read_registry', 'write_registry')
      : hasScope(puller, 'api', 'write_registry')
  const needed = action === 'pull' ? 'read_registry' : 'write_registry'
  if (!may) throw denied(`this ${puller.kind === 'user' ? 'token' : puller.kind} needs the scope ${needed}`)
}

const OWN_PROJECT = 'jobs push to and delete from their own project alone'

const isElsewhere = (job: ActingJob | undefined, projectId: number): boolean =>
  job !== undefined && job.projectId !== projectId

/** @throws 403 for a job that would delete images of another project by the API */
export function assertNotElsewhere({ viewer }: FastifyRequest, projectId: number): void {
  if (isElsewhere(viewer.job, projectId)) throw forbidden(OWN_PROJECT)
}

type Authorized = Pick<AuthorizedProject, 'container' | 'accessContext'>

async function authorize(
  request: FastifyRequest,
  puller: Puller,
  projectId: number,
  action: Action,
): Promise<Authorized> {
  const { services } = request.server
  const viewer: Viewer = {
    id: null,
    admin: false,
    external: false,
    today: dayOf(services.clock.now()),
    closed: services.addressRules.closedTo(request.ip),
  }
  const ability = abilities[action]
  if (puller.kind === 'deploy token') {
    const found = await authorizeProject(
      services.db,
      { ...viewer, admin: true },
      String(projectId),
      'read_project',
    )
    const { container } = found
    if (!container.traversal_ids.includes(puller.namespaceId)) throw nameUnknown()
    const accessContext = contextOfMachine(found, levels.developer)
    if (accessContext.closed) throw nameUnknown()
    if (action === 'delete') throw denied('deploy tokens cannot delete')
    if (!projectRule(ability)(accessContext)) throw denied()
    return { container, accessContext }
  }
  if (puller.kind === 'anonymous') return authorizeProject(services.db, viewer, String(projectId), ability)
  const { id, admin, external, job } = puller
  if (action !== 'pull' && isElsewhere(job, projectId)) throw denied(OWN_PROJECT)
  return authorizeProject(services.db, { ...viewer, id, admin, external, job }, String(projectId), ability)
}
