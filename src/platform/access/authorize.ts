import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, type NotAllowed, notFound, unauthorized } from '#platform/refusals.ts'
import { type GroupAbility, groupRule, type ProjectAbility, projectRule } from './abilities.ts'
import { projectFeatureLevels, publicJobsOf } from './project-features.ts'
import {
  findContainer,
  keyOf,
  type Container,
  type ContainerRow,
  type RequestedResource,
} from './containers.ts'
import { type ContainerKind, containerSource } from './container-sources.ts'
import { groupWithinReach, notLetIn, projectWithinReach } from './job-reach.ts'
import type { RequestedNested } from './nested-resource.ts'
import { withFurtherRights } from './further-rights.ts'
import { levels } from './roles.ts'
import { readers, type Rule, type AccessContext } from './access-context.ts'
import type { Viewer } from './viewer.ts'

export { keyOf, type Container } from './containers.ts'

export interface GroupContainer extends Container {
  readonly kind: 'group'
  readonly id: number
}

export interface ProjectContainer extends Container {
  readonly kind: 'project'
  readonly id: number
  readonly parent_id: number
  readonly creator_id: number | null
}

/** A project or group as authorized for one caller: the row, their access context, and what they may do. */
export interface Authorized<P extends Container, Ability> {
  readonly container: P
  readonly accessContext: AccessContext
  readonly can: (ability: Ability) => boolean
  /** The row of the nested resource that the route declares, whether or not the caller may see it; null for none. */
  readonly nested: unknown
}

export type AuthorizedProject = Authorized<ProjectContainer, ProjectAbility>
export type AuthorizedGroup = Authorized<GroupContainer, GroupAbility>

/** Options for authorizing something other than the route's own project or group. */
interface AuthorizeOptions {
  /** What a 404 calls it. */
  readonly name?: string
  /** The row, when it was already looked up; null when the look-up found none. */
  readonly preloaded?: ContainerRow | null | undefined
  /** What to find in it. */
  readonly nested?: RequestedNested | undefined
}

/**
 * Authorizes a caller for a project.
 * @throws {@link Moved} for a former path; 404 when the project does not exist or the caller may not read it; 401 or 403
 * when they may read it but lack the ability.
 */
export async function authorizeProject(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: ProjectAbility,
  { name = 'Project', ...options }: AuthorizeOptions = {},
): Promise<AuthorizedProject> {
  const row = await rowOf(db, viewer, { kind: 'project', key: keyOf(idOrPath) }, { name, ...options })
  const { parent_id } = row
  if (parent_id === null) throw notFound(name)
  const container = { ...row, kind: 'project', parent_id } as const
  const seen = await projectWithinReach(db, row, viewer)
  const byRole = {
    ...accessContextOf('project', seen.row, seen.viewer),
    features: projectFeatureLevels(row.settings),
    publicJobs: publicJobsOf(row.settings),
  }
  const rule = projectRule(ability)
  const accessContext =
    seen.isStranger || rule(byRole)
      ? byRole
      : await withFurtherRights(db, viewer, { container, accessContext: byRole }, ability)
  assertMay(accessContext, rule, name, seen.isStranger ? refusalOfJob(row, viewer) : undefined)
  return {
    container,
    accessContext,
    can: (asked) => projectRule(asked)(accessContext),
    nested: row.nested,
  }
}

/** The same for a group. */
export async function authorizeGroup(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: GroupAbility,
  { name = 'Group', ...options }: AuthorizeOptions = {},
): Promise<AuthorizedGroup> {
  const row = await rowOf(db, viewer, { kind: 'group', key: keyOf(idOrPath) }, { name, ...options })
  const seen = groupWithinReach(row, viewer)
  const accessContext = {
    ...accessContextOf('group', seen.row, seen.viewer),
    // Of these features, a group has its wiki.
    features: projectFeatureLevels(row.settings),
  }
  assertMay(accessContext, groupRule(ability), name)
  return {
    container: { ...row, kind: 'group' },
    accessContext,
    can: (asked) => groupRule(asked)(accessContext),
    nested: row.nested,
  }
}

async function rowOf(
  db: Db | Tx['db'],
  viewer: Viewer,
  requested: RequestedResource,
  { name, preloaded, nested }: AuthorizeOptions & { readonly name: string },
): Promise<ContainerRow> {
  const row = preloaded === undefined ? await findContainer(db, { ...requested, nested }, viewer) : preloaded
  return row ?? missing(db, requested, viewer, name)
}

function accessContextOf(kind: ContainerKind, row: ContainerRow, viewer: Viewer): AccessContext {
  return {
    level: row.level,
    visibility: row.visibility,
    signedIn: viewer.id !== null || viewer.deployToken !== undefined,
    // A deploy token sees what is internal only where it reaches.
    external: viewer.external || viewer.deployToken !== undefined,
    admin: viewer.admin,
    archived: row.archived_here,
    readsBelow: row.reads_below,
    closed: isClosed(kind, row, viewer),
  }
}

/**
 * Whether a container, or a group above it, refuses the viewer's address; {@link reachableFrom} says the same in SQL.
 * Owners may always enter their groups, so that a wrong range locks nobody out for good.
 */
function isClosed(kind: ContainerKind, { traversal_ids, level }: ContainerRow, { closed }: Viewer): boolean {
  if (closed.length === 0 || (kind === 'group' && level >= levels.owner)) return false
  return traversal_ids.some((id) => closed.includes(id))
}

/** Why a job may not do it that a project does not let in; undefined where the person may not know of the project. */
function refusalOfJob(row: ContainerRow, viewer: Viewer): NotAllowed | undefined {
  const { job } = viewer
  const isKnown = job !== undefined && mayRead('project', row, { ...viewer, admin: job.isOfAdmin })
  return isKnown ? notLetIn(job, row) : undefined
}

/** Whether the viewer may read a container that was looked up for them. */
export function mayRead(kind: ContainerKind, row: ContainerRow, viewer: Viewer): boolean {
  return readers(accessContextOf(kind, row, viewer))
}

/**
 * A container that the caller may not read looks exactly like one that does not exist.
 * @param refusal for somebody who knows that it exists
 */
function assertMay(accessContext: AccessContext, act: Rule, name: string, refusal?: NotAllowed): void {
  if (!readers(accessContext)) throw refusal ?? notFound(name)
  if (!act(accessContext)) throw refusal ?? (accessContext.signedIn ? forbidden() : unauthorized())
}

/** @throws {@link Moved} for a former path when the caller may read the container there now, otherwise 404. */
async function missing(
  db: Db | Tx['db'],
  { kind, key }: RequestedResource,
  viewer: Viewer,
  name: string,
): Promise<never> {
  if ('id' in key) throw notFound(name)
  const moved = await db
    .selectFrom('redirects as r')
    .innerJoin('namespaces as n', 'n.id', 'r.namespace_id')
    .innerJoinLateral(sql<{ id: number }>`(${containerSource(kind).own})`.as('own'), (join) => join.onTrue())
    .select('own.id')
    .where(sql`lower(r.full_path)`, '=', key.path.toLowerCase())
    .where('n.kind', '=', kind)
    .executeTakeFirstOrThrow(() => notFound(name))
  const { id } = moved
  if (kind === 'project') await authorizeProject(db, viewer, String(id), 'read_project')
  else await authorizeGroup(db, viewer, String(id), 'read_group')
  throw new Moved(id)
}

/**
 * Authorizes a caller for a project that a parameter names. A former path of it counts as the present one.
 * @throws 404, 401 and 403 as {@link authorizeProject}
 */
export const authorizeNamedProject = (
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: ProjectAbility,
): Promise<AuthorizedProject> => wherever(idOrPath, (there) => authorizeProject(db, viewer, there, ability))

/** The same for a group. */
export const authorizeNamedGroup = (
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: GroupAbility,
): Promise<AuthorizedGroup> => wherever(idOrPath, (there) => authorizeGroup(db, viewer, there, ability))

async function wherever<T>(idOrPath: string, authorize: (idOrPath: string) => Promise<T>): Promise<T> {
  try {
    return await authorize(idOrPath)
  } catch (error) {
    if (error instanceof Moved) return authorize(String(error.id))
    throw error
  }
}

/** The container has moved. The preparation of its routes turns this into 301 for a read, 405 for a write. */
export class Moved extends Error {
  override readonly name = 'Moved'
  readonly id: number
  constructor(id: number) {
    super(`moved to ${id}`)
    this.id = id
  }
}
