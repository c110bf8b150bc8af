import { sql } from 'kysely'
import type { Json, NamespaceKind, Visibility } from '#platform/db/schema.ts'
import { inSubtree, subtreeIds } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, invalid } from '#platform/refusals.ts'
import { DEFAULT_ORGANIZATION } from '#identity/organizations/queries.ts'
import { changeSubtree } from './extension-points.ts'
import type { LockedNode, Parent } from './lock.ts'

/**
 * The tree of everything that has a path. Every row keeps its full path and full name, so that lists and look-ups need
 * no walk. Only this module rewrites them when a node is moved or renamed.
 */

export interface NewNode {
  readonly kind: NamespaceKind
  readonly path: string
  readonly name: string
  readonly visibility: Visibility
  readonly description?: string | null
  readonly ownerId?: number
  /** Only for a node at the top level; others take the parent's. */
  readonly organizationId?: number | undefined
  /** JSON, as tenancy/groups/group-settings.ts writes it. */
  readonly settings?: string
  /** The key of the avatar. */
  readonly avatar?: string | null
}

const openness: Readonly<Record<Visibility, number>> = { private: 0, internal: 10, public: 20 }

/** Whether something with visibility `inner` may be below something with visibility `outer`. */
export function fitsBelow(inner: Visibility, outer: Visibility): boolean {
  return openness[inner] <= openness[outer]
}

export const leastVisible = (one: Visibility, other: Visibility): Visibility =>
  fitsBelow(one, other) ? one : other

/**
 * Inserts a new node into the tree. It replaces any redirect at its path.
 * @param parent null for the top level; locked by `lockParent`.
 * @throws 400 when the path is taken or the node would be more visible than its parent.
 */
export async function insertNode(
  tx: Tx,
  parent: Parent | null,
  node: NewNode,
): Promise<{ id: number; full_path: string }> {
  if (
    parent &&
    node.kind !== 'user' &&
    parent.visibility !== 'public' &&
    !fitsBelow(node.visibility, parent.visibility)
  ) {
    throw invalid({
      visibility_level: [`${node.visibility} is not allowed since the parent is ${parent.visibility}`],
    })
  }
  const organizationId = parent?.organization_id ?? node.organizationId ?? DEFAULT_ORGANIZATION
  const full_path = parent ? `${parent.full_path}/${node.path}` : node.path
  const full_name = parent ? `${parent.full_name} / ${node.name}` : node.name
  const id = sql<number>`nextval(pg_get_serial_sequence('namespaces', 'id'))`
  const row = await tx.db
    .with('next', (db) => db.selectNoFrom(id.as('id')))
    .insertInto('namespaces')
    .columns([
      'id',
      'kind',
      'organization_id',
      'parent_id',
      'traversal_ids',
      'owner_id',
      'path',
      'full_path',
      'name',
      'full_name',
      'description',
      'avatar',
      'visibility',
      'settings',
      'created_at',
      'updated_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('next')
        .select([
          'next.id',
          sql<NamespaceKind>`${node.kind}::namespace_kind`.as('kind'),
          sql<number>`${organizationId}::bigint`.as('organization_id'),
          sql<number | null>`${parent?.id ?? null}::bigint`.as('parent_id'),
          sql<number[]>`${parent?.traversal_ids ?? []}::bigint[] || next.id`.as('traversal_ids'),
          sql<number | null>`${node.ownerId ?? null}::bigint`.as('owner_id'),
          sql<string>`${node.path}::text`.as('path'),
          sql<string>`${full_path}::text`.as('full_path'),
          sql<string>`${node.name}::text`.as('name'),
          sql<string>`${full_name}::text`.as('full_name'),
          sql<string | null>`${node.description ?? null}::text`.as('description'),
          sql<string | null>`${node.avatar ?? null}::text`.as('avatar'),
          sql<Visibility>`${node.visibility}::visibility`.as('visibility'),
          sql<Json>`${node.settings ?? '{}'}::jsonb`.as('settings'),
          sql<string>`${tx.now}::timestamptz`.as('created_at'),
          sql<string>`${tx.now}::timestamptz`.as('updated_at'),
        ]),
    )
    .returning(['id', 'full_path'])
    .executeTakeFirstOrThrow()
  await tx.db
    .deleteFrom('redirects')
    .where(sql`lower(full_path)`, '=', full_path.toLowerCase())
    .execute()
  return row
}

/** A node's new parent, path or name; absent ones stay. */
export interface NodeMove {
  /** Null for the top level. */
  readonly parent?: Parent | null
  readonly path?: string
  readonly name?: string
}

/**
 * Renames or moves a node with everything below it; the old paths redirect to the new ones.
 * @param node locked by `lockNode`, or with its new parent by `lockForMove`.
 * @throws 400 when the new path is taken or the new parent is in another organization.
 */
export async function moveNode(tx: Tx, node: LockedNode, move: NodeMove): Promise<void> {
  const { id: nodeId } = node
  const { parent = node.parent, path = node.path, name = node.name } = move
  if (parent && parent.organization_id !== node.organization_id) {
    throw badRequest('the new place is in another organization')
  }
  const full_path = parent ? `${parent.full_path}/${path}` : path
  const full_name = parent ? `${parent.full_name} / ${name}` : name
  const above = parent?.traversal_ids ?? []
  if (full_path !== node.full_path) {
    await sql`
      insert into redirects (full_path, namespace_id)
      select full_path, id from namespaces
      where traversal_ids @> array[${nodeId}]::bigint[] and deleted_at is null
      on conflict (lower(full_path)) do update set namespace_id = excluded.namespace_id`.execute(tx.db)
  }
  // Hidden nodes keep the path under which they were hidden.
  await sql`
    update namespaces set
      full_path = case when deleted_at is null
        then ${full_path}::text || substr(full_path, ${node.full_path.length + 1}) else full_path end,
      full_name = ${full_name}::text || substr(full_name, char_length(${node.full_name}::text) + 1),
      traversal_ids = ${above}::bigint[] || traversal_ids[${node.traversal_ids.length}:]
    where traversal_ids @> array[${nodeId}]::bigint[]`.execute(tx.db)
  await tx.db
    .updateTable('namespaces')
    .set({ path, name, parent_id: parent?.id ?? null, updated_at: tx.now })
    .where('id', '=', nodeId)
    .execute()
  // A path that is in use again no longer redirects.
  await sql`
    delete from redirects r where lower(r.full_path) = any(array(
      select lower(n.full_path) from namespaces n where ${inSubtree('n', nodeId)}))`.execute(tx.db)
}

/**
 * Hides a node and everything below it from everybody at once, ends their access tokens, and frees their paths. A job
 * removes the rows.
 * @param node locked by `lockNode`.
 */
export async function hideSubtree(
  tx: Tx,
  { id: nodeId, full_path }: Pick<LockedNode, 'id' | 'full_path'>,
): Promise<void> {
  await sql`delete from redirects where namespace_id = any(${subtreeIds(nodeId)})`.execute(tx.db)
  await changeSubtree(tx, nodeId, async () => {
    await sql`
      update namespaces set
        deleted_at = ${tx.now}::timestamptz,
        full_path = ${`-/deleted/${nodeId}`} || substr(full_path, ${full_path.length + 1})
      where traversal_ids @> array[${nodeId}]::bigint[] and deleted_at is null`.execute(tx.db)
  })
  await sql`
    update access_tokens t set revoked_at = ${tx.now}::timestamptz from namespaces n
    where n.id = t.namespace_id and n.traversal_ids @> array[${nodeId}]::bigint[] and t.revoked_at is null`.execute(
    tx.db,
  )
}
