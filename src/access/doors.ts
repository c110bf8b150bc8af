import { sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import { type Param, prepare } from '#db/prepare.ts'
import type { Json, Visibility } from '#db/schema.ts'
import type { Tx } from '#db/transaction.ts'
import { forbidden, notFound, unauthorized } from '#http/errors.ts'
import { type GroupAbility, groupAbilities, type ProjectAbility, projectAbilities } from './abilities.ts'
import { featureLevels } from './features.ts'
import type { Rule, Standing } from './standing.ts'
import { archivedAt, levelAt, readsBelow } from './visible.ts'
import type { Viewer } from './viewer.ts'

/** What requests need of a group or a project's place: enough for rights, paths and references. */
export interface Place {
  /** The id of the row in `namespaces`; of a group, its id. */
  readonly namespace_id: number
  readonly parent_id: number | null
  readonly traversal_ids: number[]
  readonly path: string
  readonly full_path: string
  readonly name: string
  readonly full_name: string
  readonly visibility: Visibility
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
  /** What differs from the defaults of groups or projects. */
  readonly settings: Json
}

export interface GroupPlace extends Place {
  readonly id: number
  readonly description: string | null
}

export interface ProjectPlace extends Place {
  readonly id: number
  readonly parent_id: number
  readonly creator_id: number | null
}

/** A project or group as seen by one caller: the row, where they stand, and what they may do. */
export interface Door<P extends Place, Ability> {
  readonly place: P
  readonly standing: Standing
  can(ability: Ability): boolean
}

export type ProjectDoor = Door<ProjectPlace, ProjectAbility>
export type GroupDoor = Door<GroupPlace, GroupAbility>

interface Seen {
  level: number
  archived_here: boolean
  reads_below: boolean
}

type Key = { readonly id: number } | { readonly path: string }

/** An id when it is all digits (paths are not), else a path. A trailing `.json` has been taken off by routing. */
export function keyOf(idOrPath: string): Key {
  return /^\d{1,15}$/.test(idOrPath) ? { id: Number(idOrPath) } : { path: idOrPath }
}

interface Values {
  key: string | number
  user: number
  today: string
}

const columns = [
  'n.id as namespace_id',
  'n.traversal_ids',
  'n.path',
  'n.full_path',
  'n.name',
  'n.full_name',
  'n.visibility',
  'n.archived',
  'n.created_at',
  'n.updated_at',
] as const

/** Prepared for anonymous and signed-in callers, by id and by path: four texts for each kind. */
function variants<Row>(
  make: (by: 'id' | 'path', signedIn: boolean) => ReturnType<typeof prepare<Values, Row>>,
) {
  const all = {
    id: [make('id', false), make('id', true)] as const,
    path: [make('path', false), make('path', true)] as const,
  }
  return (db: Db | Tx['db'], key: Key, viewer: Viewer): Promise<Row[]> => {
    const [anonymous, signedIn] = 'id' in key ? all.id : all.path
    const run = viewer.id === null ? anonymous : signedIn
    return run(db, {
      key: 'id' in key ? key.id : key.path,
      user: viewer.id ?? 0,
      today: viewer.today,
    })
  }
}

const asViewer = (param: Param<Values>, signedIn: boolean): Viewer => ({
  id: signedIn ? param('user') : null,
  today: param('today'),
  admin: false,
  external: false,
})

const findProject = variants<Omit<ProjectPlace, 'parent_id'> & { parent_id: number | null } & Seen>(
  (by, signedIn) =>
    prepare((db, param: Param<Values>) =>
      db
        .selectFrom('projects as p')
        .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
        .select([...columns, 'n.parent_id', 'p.id', 'p.creator_id', 'p.settings'])
        .select([
          levelAt('n', asViewer(param, signedIn)).as('level'),
          archivedAt('n').as('archived_here'),
          sql<boolean>`false`.as('reads_below'),
        ])
        .where('n.deleted_at', 'is', null)
        .where(by === 'id' ? sql`p.id` : sql`lower(n.full_path)`, '=', keyParam(by, param)),
    ),
)

const findGroup = variants<GroupPlace & Seen>((by, signedIn) =>
  prepare((db, param: Param<Values>) =>
    db
      .selectFrom('namespaces as n')
      .select([...columns, 'n.parent_id', 'n.id', 'n.description', 'n.settings'])
      .select([
        levelAt('n', asViewer(param, signedIn)).as('level'),
        archivedAt('n').as('archived_here'),
        readsBelow('n', asViewer(param, signedIn)).as('reads_below'),
      ])
      .where('n.kind', '=', 'group')
      .where('n.deleted_at', 'is', null)
      .where(by === 'id' ? sql`n.id` : sql`lower(n.full_path)`, '=', keyParam(by, param)),
  ),
)

function keyParam(by: 'id' | 'path', param: Param<Values>) {
  return by === 'id' ? param('key') : sql<string>`lower(${param('key')})`
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
): Promise<ProjectDoor> {
  const key = keyOf(idOrPath)
  const [row] = await findProject(db, key, viewer)
  if (row === undefined || row.parent_id === null) return missing(db, key, viewer, 'project')
  const standing = { ...standingOf(row, viewer), features: featureLevels(row.settings) }
  demand(standing, projectAbilities.read_project, projectAbilities[ability], 'Project')
  const { parent_id } = row
  return { place: { ...row, parent_id }, standing, can: (name) => projectAbilities[name](standing) }
}

/**
 * The same for a group.
 * @param name what a 404 calls it.
 */
export async function openGroup(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
  ability: GroupAbility,
  name = 'Group',
): Promise<GroupDoor> {
  const key = keyOf(idOrPath)
  const [place] = await findGroup(db, key, viewer)
  if (place === undefined) return missing(db, key, viewer, 'group')
  const standing = standingOf(place, viewer)
  demand(standing, groupAbilities.read_group, groupAbilities[ability], name)
  return { place, standing, can: (name) => groupAbilities[name](standing) }
}

function standingOf(row: Seen & Place, viewer: Viewer): Standing {
  return {
    level: row.level,
    visibility: row.visibility,
    signedIn: viewer.id !== null,
    external: viewer.external,
    admin: viewer.admin,
    archived: row.archived_here,
    readsBelow: row.reads_below,
  }
}

/** What may not be read looks exactly like what is not there. */
function demand(standing: Standing, read: Rule, act: Rule, name: string): void {
  if (!read(standing)) throw notFound(name)
  if (!act(standing)) throw standing.signedIn ? forbidden() : unauthorized()
}

/** A former path leads on when the caller may read what is there now; otherwise there is nothing. */
async function missing(
  db: Db | Tx['db'],
  key: Key,
  viewer: Viewer,
  kind: 'project' | 'group',
): Promise<never> {
  const name = kind === 'project' ? 'Project' : 'Group'
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
