import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Json, Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { type ContainerKind, type ContainerSource, containerSource } from './container-sources.ts'
import type { NestedKey, NestedResource, RequestedNested } from './nested-resource.ts'
import { archivedAt, levelOf, readsBelowOf } from './visible.ts'
import type { Viewer } from './viewer.ts'

/** The position of a group or project in the tree. */
export interface TreePosition {
  /** The id of the row in `namespaces`; for a group, its own id. */
  readonly namespace_id: number
  /** From the root group down to itself. */
  readonly traversal_ids: readonly number[]
}

/** What requests need of a group or project for rights, paths and references. */
export interface Container extends TreePosition {
  readonly organization_id: number
  readonly parent_id: number | null
  readonly path: string
  readonly full_path: string
  readonly name: string
  readonly full_name: string
  readonly description: string | null
  /** The key of the picture. */
  readonly avatar: string | null
  readonly visibility: Visibility
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
  /** The settings that differ from the defaults of groups or projects. */
  readonly settings: Json
}

/** A container with the caller's access to it. */
export interface ContainerRow extends Container {
  /** The id of the group or project. */
  readonly id: number
  readonly creator_id: number | null
  readonly level: number
  readonly archived_here: boolean
  readonly reads_below: boolean
  /** The row of the {@link NestedResource} that the route declares; null when there is none. */
  readonly nested: unknown
}

/** How a request names a container. */
export type Key = { readonly id: number } | { readonly path: string }

/** An id when it is all digits (paths are not), else a path. Routing has already removed a trailing `.json`. */
export function keyOf(idOrPath: string): Key {
  return /^\d{1,15}$/.test(idOrPath) ? { id: Number(idOrPath) } : { path: idOrPath }
}

/** The container that a route is about, as a request names it. */
export interface RequestedResource {
  readonly kind: ContainerKind
  readonly key: Key
  /** What the path names in it. */
  readonly nested?: RequestedNested | undefined
}

/** What a statement is prepared for: the kind of container, how it is named, and what else it finds. */
export interface Shape {
  readonly kind: ContainerKind
  readonly by: 'id' | 'path'
  readonly nested: NestedResource | undefined
}

/** The shape of the statement for a request. */
export const shapeOf = ({ kind, key, nested }: RequestedResource): Shape => ({
  kind,
  by: 'id' in key ? 'id' : 'path',
  nested: nested?.resource,
})

/** Makes one value for each shape, when it is first needed. */
export function forShapes<T>(make: (shape: Shape) => T): (shape: Shape) => T {
  const plain = new Map<string, T>()
  const withNested = new WeakMap<NestedResource, Map<string, T>>()
  return (shape) => {
    const { kind, by, nested } = shape
    const made = nested === undefined ? plain : (withNested.get(nested) ?? new Map<string, T>())
    if (nested !== undefined) withNested.set(nested, made)
    const known = made.get(`${kind} ${by}`) ?? make(shape)
    made.set(`${kind} ${by}`, known)
    return known
  }
}

const valueOf = (key: Key): string | number => ('id' in key ? key.id : key.path)

/** The columns of {@link containerQuery} where it is joined as `container`. */
export const containerColumns = [
  'container.namespace_id',
  'container.organization_id',
  'container.parent_id',
  'container.traversal_ids',
  'container.path',
  'container.full_path',
  'container.name',
  'container.full_name',
  'container.description',
  'container.avatar',
  'container.visibility',
  'container.archived',
  'container.created_at',
  'container.updated_at',
  'container.creator_id',
  'container.id',
  'container.settings',
  'container.level',
  'container.archived_here',
  'container.reads_below',
  'container.nested',
] as const

/** The values of a statement that finds a container. */
interface Keys {
  readonly key: string | number
  readonly nestedKey: NestedKey | null
  readonly today: string
}

/** The values for a request's statement. */
export const keysOf = ({ key, nested }: RequestedResource, today: string): Keys => ({
  key: valueOf(key),
  nestedKey: nested?.key ?? null,
  today,
})

/**
 * Selects one container as a user sees it, or as an anonymous caller does, with the nested resource of the shape.
 * @param user an expression for the id of the user, so that the statement may find it itself.
 */
export function containerQuery(
  db: Db | Tx['db'],
  { kind, by, nested }: Shape,
  { key, nestedKey, today }: Keys,
  user: RawBuilder<number> | null,
) {
  const source = containerSource(kind)
  return db
    .selectFrom('namespaces as n')
    .innerJoinLateral(sql<Own>`(${source.own})`.as('own'), (join) => join.onTrue())
    .select([
      'n.id as namespace_id',
      'n.organization_id',
      'n.parent_id',
      'n.traversal_ids',
      'n.path',
      'n.full_path',
      'n.name',
      'n.full_name',
      'n.description',
      'n.avatar',
      'n.visibility',
      'n.archived',
      'n.created_at',
      'n.updated_at',
      'own.creator_id',
      'own.id',
      'own.settings',
      (user === null ? sql<number>`0` : levelOf('n', user, today)).as('level'),
      archivedAt('n').as('archived_here'),
      (user === null || kind === 'project' ? sql<boolean>`false` : readsBelowOf('n', user, today)).as(
        'reads_below',
      ),
      (nested === undefined ? sql`null::json` : nestedRow(nested, nestedKey, user)).as('nested'),
    ])
    .where('n.kind', '=', sql.lit(kind))
    .where('n.deleted_at', 'is', null)
    .where(isNamed(source, by, key))
}

/** What a {@link ContainerSource} selects. */
interface Own {
  readonly id: number
  readonly creator_id: number | null
  readonly settings: Json
}

const nestedRow = (nested: NestedResource, key: NestedKey | null, user: RawBuilder<number> | null) =>
  sql`(select to_json(nested) from (${nested.select({
    container: sql<number>`own.id`,
    key: sql<NestedKey>`${key}`,
    user,
  })}) as nested)`

/**
 * Selects one row of `namespaces` by its own unique index. Through a join, PostgreSQL would compute the levels for
 * every row that the planner tries.
 */
function isNamed(source: ContainerSource, by: Shape['by'], key: string | number): RawBuilder<boolean> {
  if (by === 'path') return sql<boolean>`lower(n.full_path) = lower(${key}::text)`
  return sql<boolean>`n.id = ${source.nodeOf(sql<number>`${key}::bigint`)}`
}

interface Values extends Keys {
  readonly user: number
}

const keyParameters = (param: Param<Values>): Keys => ({
  key: param('key'),
  nestedKey: param('nestedKey'),
  today: param('today'),
})

const forNobody = forShapes((shape) =>
  prepare((db, param: Param<Values>) => containerQuery(db, shape, keyParameters(param), null)),
)
const forUser = forShapes((shape) =>
  prepare((db, param: Param<Values>) =>
    containerQuery(db, shape, keyParameters(param), sql<number>`${param('user')}::bigint`),
  ),
)

/** The requested container, or undefined. The caller must check whether it may be seen. */
export async function findContainer(
  db: Db | Tx['db'],
  requested: RequestedResource,
  { id, today }: Viewer,
): Promise<ContainerRow | undefined> {
  const find = (id === null ? forNobody : forUser)(shapeOf(requested))
  const [row] = await find(db, { ...keysOf(requested, today), user: id ?? 0 })
  return row
}
