import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound, unauthorized } from '#platform/http/errors.ts'
import { type GroupAbility, groupRule, type ProjectAbility, projectRule } from './abilities.ts'
import { featureLevels } from './feature-levels.ts'
import { findPlace, type Key, keyOf, type Place, type PlaceKind, type PlaceRow } from './places.ts'
import { levels } from './roles.ts'
import { readers, type Rule, type Standing } from './standing.ts'
import type { Viewer } from './viewer.ts'

export { keyOf, type Place } from './places.ts'

export interface GroupPlace extends Place {
  readonly kind: 'group'
  readonly id: number
}

export interface ProjectPlace extends Place {
  readonly kind: 'project'
  readonly id: number
  readonly parent_id: number
  readonly creator_id: number | null
}

/** A project or group as seen by one caller: the row, where they stand, and what they may do. */
export interface Door<P extends Place, Ability> {
  readonly place: P
  readonly standing: Standing
  readonly can: (ability: Ability) => boolean
}

export type ProjectDoor = Door<ProjectPlace, ProjectAbility>
export type GroupDoor = Door<GroupPlace, GroupAbility>

/** Options for a door that is not the route's own. */
interface Opening {
  /** What a 404 calls it. */
  readonly name?: string
  /** The place, when it was looked up already; null when there was none. */
  readonly ahead?: PlaceRow | null | undefined
}

/**
 * Opens a project for a caller.
 * @throws 301 with the new place for a former path, 404 when it is not there or may not be read, and 401 or 403
 * when it may be read but the ability is refused.
 */
export async function openProject(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: ProjectAbility,
  { name = 'Project', ahead }: Opening = {},
): Promise<ProjectDoor> {
  const row = await rowOf(db, viewer, 'project', idOrPath, name, ahead)
  const { parent_id } = row
  if (parent_id === null) throw notFound(name)
  const standing = { ...standingOf('project', row, viewer), features: featureLevels(row.settings) }
  demand(standing, projectRule(ability), name)
  return {
    place: { ...row, kind: 'project', parent_id },
    standing,
    can: (asked) => projectRule(asked)(standing),
  }
}

/** The same for a group. */
export async function openGroup(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: GroupAbility,
  { name = 'Group', ahead }: Opening = {},
): Promise<GroupDoor> {
  const row = await rowOf(db, viewer, 'group', idOrPath, name, ahead)
  const standing = standingOf('group', row, viewer)
  demand(standing, groupRule(ability), name)
  return { place: { ...row, kind: 'group' }, standing, can: (asked) => groupRule(asked)(standing) }
}

async function rowOf(
  db: Db | Tx['db'],
  viewer: Viewer,
  kind: PlaceKind,
  idOrPath: string,
  name: string,
  ahead: PlaceRow | null | undefined,
): Promise<PlaceRow> {
  const key = keyOf(idOrPath)
  const row = ahead === undefined ? await findPlace(db, kind, key, viewer) : ahead
  return row ?? missing(db, key, viewer, kind, name)
}

function standingOf(kind: PlaceKind, row: PlaceRow, viewer: Viewer): Standing {
  return {
    level: row.level,
    visibility: row.visibility,
    signedIn: viewer.id !== null,
    external: viewer.external,
    admin: viewer.admin,
    archived: row.archived_here,
    readsBelow: row.reads_below,
    closed: isClosed(kind, row, viewer),
  }
}

/**
 * Whether a place, or a group above it, takes no requests from the viewer's address; {@link reachableFrom} says the
 * same in SQL. Owners get into their groups all the same, so that a wrong range locks nobody out for good.
 */
function isClosed(kind: PlaceKind, { traversal_ids, level }: PlaceRow, { closed }: Viewer): boolean {
  if (closed.length === 0 || (kind === 'group' && level >= levels.owner)) return false
  return traversal_ids.some((id) => closed.includes(id))
}

/** Whether somebody may read a place that was looked up for them. */
export function mayRead(kind: PlaceKind, row: PlaceRow, viewer: Viewer): boolean {
  return readers(standingOf(kind, row, viewer))
}

/** What may not be read looks exactly like what is not there. */
function demand(standing: Standing, act: Rule, name: string): void {
  if (!readers(standing)) throw notFound(name)
  if (!act(standing)) throw standing.signedIn ? forbidden() : unauthorized()
}

/** A former path leads on when the caller may read what is there now; otherwise there is nothing. */
async function missing(
  db: Db | Tx['db'],
  key: Key,
  viewer: Viewer,
  kind: PlaceKind,
  name: string,
): Promise<never> {
  if ('id' in key) throw notFound(name)
  const moved = await db
    .selectFrom('redirects as r')
    .innerJoin('namespaces as n', 'n.id', 'r.namespace_id')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['n.id', 'p.id as project_id'])
    .where(sql`lower(r.full_path)`, '=', key.path.toLowerCase())
    .where('n.kind', '=', kind)
    .executeTakeFirst()
  if (moved === undefined) throw notFound(name)
  const id = moved.project_id ?? moved.id
  if (kind === 'project') await openProject(db, viewer, String(id), 'read_project')
  else await openGroup(db, viewer, String(id), 'read_group')
  throw new Moved(id)
}

/** The resource lives elsewhere now; the route's preparation turns it into a 301 with the new URL. */
export class Moved extends Error {
  override readonly name = 'Moved'
  readonly id: number
  constructor(id: number) {
    super(`moved to ${id}`)
    this.id = id
  }
}
