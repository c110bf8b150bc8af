import { type InferResult, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { DB, Json } from '#platform/db/schema.ts'
import { type Param, type Params, statement } from '#platform/db/statement.ts'
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

/** The columns of a node of the tree, besides its {@link TreePosition}. */
const nodeColumns = [
  'organization_id',
  'parent_id',
  'path',
  'full_path',
  'name',
  'full_name',
  'description',
  'avatar',
  'visibility',
  'archived',
  'created_at',
  'updated_at',
] as const satisfies (keyof DB['namespaces'])[]

/** What requests need of a group or project for rights, paths and references. */
export interface Container
  extends TreePosition, Readonly<Pick<Selectable<DB['namespaces']>, (typeof nodeColumns)[number]>> {
  /** The settings that differ from the defaults of groups or projects. */
  readonly settings: Json
}

/**
 * A container with the caller's access to it. `id` is that of the group or project, and `nested` the row of the
 * {@link NestedResource} that the route declares; null when there is none.
 */
export type ContainerRow = Readonly<InferResult<ReturnType<typeof containerQuery>>[number]>

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

const valueOf = (key: Key): string | number => ('id' in key ? key.id : key.path)

/** The columns of {@link containerQuery} where it is joined as `container`. */
export const containerColumns = (
  [
    'namespace_id',
    'traversal_ids',
    ...nodeColumns,
    'creator_id',
    'id',
    'settings',
    'level',
    'archived_here',
    'reads_below',
    'nested',
  ] as const satisfies (keyof ContainerRow)[]
).map((column) => `container.${column}` as const)

/** The values of a statement that finds a container. */
interface Keys {
  readonly key: string | number
  readonly nestedKey: NestedKey | null
  readonly today: string
}

/** The values for a request's statement. */
export const keyValuesOf = ({ key, nested }: RequestedResource, today: string): Keys => ({
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
  param: Params<Keys>,
  user: RawBuilder<number> | null,
) {
  const source = containerSource(kind)
  return db
    .selectFrom('namespaces as n')
    .innerJoinLateral(sql<Own>`(${source.own})`.as('own'), (join) => join.onTrue())
    .select(['n.id as namespace_id', 'n.traversal_ids'])
    .select(nodeColumns.map((column) => `n.${column}` as const))
    .select([
      'own.creator_id',
      'own.id',
      'own.settings',
      (user === null ? sql<number>`0` : levelOf('n', user, param('today'))).as('level'),
      archivedAt('n').as('archived_here'),
      (user === null || kind === 'project'
        ? sql<boolean>`false`
        : readsBelowOf('n', user, param('today'))
      ).as('reads_below'),
      (nested === undefined ? sql`null::json` : nestedRow(nested, param('nestedKey'), user)).as('nested'),
    ])
    .where('n.kind', '=', sql.lit(kind))
    .where('n.deleted_at', 'is', null)
    .where(isNamed(source, by, param('key')))
}

/** What a {@link ContainerSource} selects. */
interface Own {
  readonly id: number
  readonly creator_id: number | null
  readonly settings: Json
}

const nestedRow = (nested: NestedResource, key: Param<NestedKey | null>, user: RawBuilder<number> | null) =>
  sql`(select to_json(nested) from (${nested.select({
    container: sql<number>`own.id`,
    key,
    user,
  })}) as nested)`

/**
 * Selects one row of `namespaces` by its own unique index. Through a join, PostgreSQL would compute the levels for
 * every row that the planner tries.
 */
function isNamed(source: ContainerSource, by: Shape['by'], key: Param<string | number>): RawBuilder<boolean> {
  if (by === 'path') return sql<boolean>`lower(n.full_path) = lower(${key}::text)`
  return sql<boolean>`n.id = ${source.nodeOf(sql<number>`${key}::bigint`)}`
}

interface Values extends Keys {
  readonly user: number
}

const byKey = statement({
  name: 'container',
  build: (db, param: Params<Values>, { signedIn, ...shape }: Shape & { readonly signedIn: boolean }) =>
    containerQuery(db, shape, param, signedIn ? sql<number>`${param('user')}::bigint` : null),
})

/** The requested container, or undefined. The caller must check whether it may be seen. */
export async function findContainer(
  db: Db | Tx['db'],
  requested: RequestedResource,
  { id, today }: Viewer,
): Promise<ContainerRow | undefined> {
  const values = { ...keyValuesOf(requested, today), user: id ?? 0 }
  const [row] = await byKey(db, values, { ...shapeOf(requested), signedIn: id !== null })
  return row
}
