import { sql } from 'kysely'
import type { AuthorizedProject, ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { record } from '#platform/facts/record.ts'
import { Conflict, forbidden, invalid, Taken } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { fitsBelow, leastVisible } from '#identity/namespaces/tree.ts'
import { type Destination, openDestination, ownDestination } from '#tenancy/projects/destination.ts'
import { pathFromName } from '#tenancy/projects/names.ts'
import { type Requester, requestProject } from '#tenancy/projects/request-project.ts'
import { insertRepository } from '#code/repositories/make-repository.ts'
import { copyFork } from './copy-fork.ts'

export interface ForkWishes {
  /** The id or path of the group or personal namespace; by default the caller's own. */
  readonly namespace?: string
  readonly name?: string
  readonly path?: string
  readonly description?: string | null
  readonly visibility?: Visibility
  readonly mr_default_target_self?: boolean
  /** The only branch to copy. */
  readonly branch?: string
}

/** What a fork takes over from its source. */
interface Source {
  readonly name: string
  readonly path: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly settings: object
}

/** The settings of a source that its forks begin with. */
const TAKEN_OVER = /_access_level$|^(?:lfs_enabled|merge_method|squash_option|ci_config_path|build_timeout)$/

/**
 * Makes a project with the code of another one, which a job copies.
 * @param storage where the repository of the source is, so that copying takes no room.
 * @throws 404 `Namespace Not Found`, 403 where the caller may not make projects or the source must stay in its group,
 * 409 when the name or path is taken, 400 for a visibility that is more open than the source's.
 */
export async function forkProject(
  tx: Tx,
  requester: Requester,
  { container }: Pick<AuthorizedProject, 'container'>,
  { branch, ...wishes }: ForkWishes,
  storage: string,
): Promise<{ readonly id: number }> {
  const source = await sourceOf(tx, container)
  const destination =
    wishes.namespace === undefined
      ? await ownDestination(tx, requester.viewer.id)
      : await openDestination(tx, requester.viewer, wishes.namespace)
  await assertMayLeave(tx, container, destination)
  const { visibility: asked, name = source.name, mr_default_target_self } = wishes
  if (asked !== undefined && !fitsBelow(asked, source.visibility)) {
    throw invalid({ visibility_level: [`${asked} is not allowed since the source is ${source.visibility}`] })
  }
  const { path = wishes.name === undefined ? source.path : pathFromName(name) } = wishes
  const project = await requestFork(tx, requester, {
    ...takenOver(source),
    ...(mr_default_target_self !== undefined && { mr_default_target_self }),
    name,
    path,
    description: wishes.description === undefined ? source.description : wishes.description,
    visibility: asked ?? leastVisible(source.visibility, destination.visibility),
    namespace_id: destination.id,
  })
  await insertRepository(tx, { kind: 'project', project: project.id }, storage)
  await relate(tx, project.id, container, 'scheduled')
  await enqueue(tx, copyFork, {
    project_id: project.id,
    source_id: container.id,
    ...(branch !== undefined && { branch }),
  })
  return project
}

/** Writes down that a project is a fork. */
export async function relate(
  tx: Tx,
  projectId: number,
  source: Pick<ProjectContainer, 'id' | 'full_path'>,
  state: 'scheduled' | 'finished',
): Promise<void> {
  await tx.db
    .insertInto('project_forks')
    .values({ project_id: projectId, source_id: source.id, state, created_at: tx.now })
    .execute()
  const { namespace } = await tx.db
    .selectFrom('projects')
    .select('project_namespace_id as namespace')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'project forked',
    namespace,
    target: { type: 'Project', id: projectId },
    details: { source_id: source.id, source_path: source.full_path },
  })
}

function sourceOf(tx: Tx, { id }: ProjectContainer): Promise<Source> {
  return tx.db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['n.name', 'n.path', 'n.description', 'n.visibility', sql<object>`p.settings`.as('settings')])
    .where('p.id', '=', id)
    .executeTakeFirstOrThrow()
}

const takenOver = ({ settings }: Source) =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => TAKEN_OVER.test(name)))

/** A group can keep its projects from being forked to other groups. @throws 403 */
async function assertMayLeave(
  tx: Tx,
  { traversal_ids: path }: ProjectContainer,
  { id }: Destination,
): Promise<void> {
  const [top] = path
  const found = await tx.db
    .selectFrom('namespaces as g')
    .select('g.id')
    .where((eb) => eb('g.id', '=', eb.fn.any(eb.val([...path]))))
    .where(sql<boolean>`g.settings ->> 'prevent_forking_outside_group' = 'true'`)
    .where(sql<boolean>`not exists (
      select from namespaces d where d.id = ${id} and d.traversal_ids[1] = ${top})`)
    .limit(1)
    .executeTakeFirst()
  if (found !== undefined) throw forbidden('the project can only be forked inside its group')
}

/** Clients expect a conflict where a project of that name is there already. */
async function requestFork(
  tx: Tx,
  requester: Requester,
  wishes: Parameters<typeof requestProject>[2],
): Promise<{ id: number }> {
  try {
    return await requestProject(tx, requester, wishes)
  } catch (error) {
    throw error instanceof Taken ? new Conflict(error.says, { code: 'taken' }) : error
  }
}
