import type { TreePosition } from '#platform/access/containers.ts'
import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { NamedReference, Reference } from './kinds.ts'
import type { Context } from './context.ts'

/** A label or milestone, which texts can name by a name or a number within its project or group. */
interface NamedRow {
  readonly id: number
  readonly name: string
  readonly number: number
  readonly namespace_id: number
}

/** Where to look, and for which names and numbers. A result may also match in another of the containers. */
interface RequestedResource {
  readonly namespaces: readonly number[]
  readonly names: readonly string[]
  readonly numbers: readonly number[]
}

interface ReferenceRow {
  readonly reference: NamedReference
  readonly id: number
  readonly name: string
}

/** Labels of the container or of a group above it: the nearest of that name, or the one with that id. */
export async function resolveLabels(context: Context, references: readonly Reference[]) {
  const found = await resolveNamed(context, references, 'label', findLabels)
  return found.map(({ reference, ...label }) => ({ reference, target: { type: 'Label' as const, ...label } }))
}

/** Milestones of the container or of a group above it: the nearest of that title or iid. */
export async function resolveMilestones(context: Context, references: readonly Reference[]) {
  const found = await resolveNamed(context, references, 'milestone', findMilestones)
  return found.map(({ reference, id, name }) => ({
    reference,
    target: { type: 'Milestone' as const, id, title: name },
  }))
}

async function resolveNamed(
  { db, here, seen }: Context,
  references: readonly Reference[],
  kind: NamedReference['kind'],
  find: (db: Db | Tx['db'], requested: RequestedResource) => Promise<readonly NamedRow[]>,
): Promise<ReferenceRow[]> {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== kind) return []
    const { container } = reference
    if (container === null) return [{ reference, namespace: here }]
    const namespace = seen.get(container.toLowerCase())
    return namespace === undefined || !namespace.planning_open ? [] : [{ reference, namespace }]
  })
  if (asked.length === 0) return []
  const candidates = await find(db, {
    namespaces: [...new Set(asked.flatMap(({ namespace }) => [...namespace.traversal_ids]))],
    names: asked.map(({ reference }) => reference.name),
    numbers: asked.flatMap(({ reference }) => reference.number ?? []),
  })
  const byName = Map.groupBy(candidates, ({ name }) => name)
  const byNumber = Map.groupBy(candidates, ({ number }) => number)
  return asked.flatMap(({ reference, namespace }) => {
    const { name, number } = reference
    const numbered = number === null ? [] : (byNumber.get(number) ?? [])
    const [nearest] = [...(byName.get(name) ?? []), ...numbered]
      .filter(({ namespace_id }) => namespace.traversal_ids.includes(namespace_id))
      .toSorted((a, b) => depth(namespace, b) - depth(namespace, a))
    return nearest === undefined ? [] : [{ reference, id: nearest.id, name: nearest.name }]
  })
}

function depth({ traversal_ids }: TreePosition, { namespace_id }: NamedRow): number {
  return traversal_ids.indexOf(namespace_id)
}

function findLabels(
  db: Db | Tx['db'],
  { namespaces, names, numbers }: RequestedResource,
): Promise<NamedRow[]> {
  return db
    .selectFrom('labels as l')
    .select(['l.id', 'l.name', 'l.id as number', 'l.namespace_id'])
    .where(isAnyOf('l.namespace_id', namespaces))
    .where(sql<boolean>`(l.name = any(${[...names]}::text[]) or l.id = any(${[...numbers]}::bigint[]))`)
    .execute()
}

function findMilestones(
  db: Db | Tx['db'],
  { namespaces, names, numbers }: RequestedResource,
): Promise<NamedRow[]> {
  return db
    .selectFrom('milestones as m')
    .select(['m.id', 'm.title as name', 'm.iid as number', 'm.namespace_id'])
    .where(isAnyOf('m.namespace_id', namespaces))
    .where(sql<boolean>`(m.title = any(${[...names]}::text[]) or m.iid = any(${[...numbers]}::bigint[]))`)
    .execute()
}
