import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Json, Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
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
}

export type ContainerKind = 'project' | 'group'

/** How a request names a container. */
export type Key = { readonly id: number } | { readonly path: string }

/** An id when it is all digits (paths are not), else a path. Routing has already removed a trailing `.json`. */
export function keyOf(idOrPath: string): Key {
  return /^\d{1,15}$/.test(idOrPath) ? { id: Number(idOrPath) } : { path: idOrPath }
}

/** What a statement is prepared for: the kind of container, and how it is named. */
export interface Shape {
  readonly kind: ContainerKind
  readonly by: 'id' | 'path'
}

export const shapes: readonly Shape[] = [
  { kind: 'project', by: 'id' },
  { kind: 'project', by: 'path' },
  { kind: 'group', by: 'id' },
  { kind: 'group', by: 'path' },
]

/** Picks the prepared value for a kind of container and key. Each shape is prepared once. */
export function forShapes<T>(make: (shape: Shape) => T): (kind: ContainerKind, key: Key) => T {
  const made = shapes.map((shape) => ({ ...shape, value: make(shape) }))
  return (kind, key) => {
    const by = 'id' in key ? 'id' : 'path'
    const found = made.find((one) => one.kind === kind && one.by === by)
    if (found === undefined) throw new Error(`Nothing is prepared for a ${kind} by ${by}`)
    return found.value
  }
}

export const valueOf = (key: Key): string | number => ('id' in key ? key.id : key.path)

/** The columns of {@link containerQuery} where it is joined as `place`. */
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
] as const

/**
 * Selects one container as a user sees it, or as an anonymous caller does.
 * @param user an expression for the id of the user, so that the statement may find it itself.
 */
export function containerQuery(
  db: Db | Tx['db'],
  { kind, by }: Shape,
  key: string | number,
  user: RawBuilder<number> | null,
  today: string,
) {
  const id = kind === 'project' ? sql<number>`p.id` : sql<number>`n.id`
  return db
    .selectFrom('namespaces as n')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
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
      'p.creator_id',
      id.as('id'),
      (kind === 'project' ? sql<Json>`p.settings` : sql<Json>`n.settings`).as('settings'),
      (user === null ? sql<number>`0` : levelOf('n', user, today)).as('level'),
      archivedAt('n').as('archived_here'),
      (user === null || kind === 'project' ? sql<boolean>`false` : readsBelowOf('n', user, today)).as(
        'reads_below',
      ),
    ])
    .where('n.kind', '=', sql.lit(kind))
    .where('n.deleted_at', 'is', null)
    .where(isNamed(kind, by, key))
}

/**
 * Selects one row of `namespaces` by its own unique index. Through a join, PostgreSQL would compute the levels for
 * every row that the planner tries.
 */
function isNamed(kind: ContainerKind, by: Shape['by'], key: string | number): RawBuilder<boolean> {
  if (by === 'path') return sql<boolean>`lower(n.full_path) = lower(${key}::text)`
  if (kind === 'group') return sql<boolean>`n.id = ${key}::bigint`
  return sql<boolean>`n.id = (select project_namespace_id from projects where id = ${key}::bigint)`
}

interface Values {
  key: string | number
  user: number
  today: string
}

const forNobody = forShapes((shape) =>
  prepare((db, param: Param<Values>) => containerQuery(db, shape, param('key'), null, param('today'))),
)
const forUser = forShapes((shape) =>
  prepare((db, param: Param<Values>) =>
    containerQuery(db, shape, param('key'), sql<number>`${param('user')}::bigint`, param('today')),
  ),
)

/** The container of that kind and key, or undefined. The caller must check whether it may be seen. */
export async function findContainer(
  db: Db | Tx['db'],
  kind: ContainerKind,
  key: Key,
  { id, today }: Viewer,
): Promise<ContainerRow | undefined> {
  const find = (id === null ? forNobody : forUser)(kind, key)
  const [row] = await find(db, { key: valueOf(key), user: id ?? 0, today })
  return row
}
