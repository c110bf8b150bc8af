import type { TreePosition } from '#platform/access/places.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { anyFeatureOpenAt, planning } from '#platform/access/features.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { sql } from 'kysely'
import { issueVisibleTo } from '#planning/issues/visible.ts'
import type { Reference } from './kinds.ts'
import type { Context, Seen } from './context.ts'
import { resolveLabels, resolveMilestones } from './resolve-named.ts'

/** What a reference leads to. */
export type Target =
  | { readonly type: 'Project'; readonly id: number; readonly full_path: string }
  | { readonly type: 'Label'; readonly id: number; readonly name: string }
  | { readonly type: 'Milestone'; readonly id: number; readonly title: string }
  | { readonly type: 'Issue'; readonly id: number; readonly iid: number; readonly namespace_id: number }

export interface Resolved {
  readonly reference: Reference
  readonly target: Target
}

type Resolver = (context: Context, references: readonly Reference[]) => Promise<readonly Resolved[]>

/** One resolver for each kind that there is so far; each takes one statement at most. */
const resolvers: Partial<Record<Reference['kind'], Resolver>> = {
  project: async ({ seen }, references) =>
    references.flatMap((reference) => {
      const found = 'path' in reference ? seen.get(reference.path.toLowerCase()) : undefined
      if (found === undefined || found.project_id === null) return []
      const { project_id: id, full_path } = found
      return [{ reference, target: { type: 'Project', id, full_path } }]
    }),
  label: resolveLabels,
  milestone: resolveMilestones,
  issue: resolveIssues,
}

/** Different paths looked up in one text. */
const MAX_PATHS = 200

/**
 * What the references in a text lead to, as far as the reader may see it; those that lead nowhere are left out.
 * One statement for the places and one for each kind that occurs.
 */
export async function resolveReferences(
  db: Db | Tx['db'],
  reader: Viewer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<Resolved[]> {
  const known = references.filter(({ kind }) => kind in resolvers)
  const paths = new Set(known.flatMap((one) => placeOf(one)?.toLowerCase() ?? []))
  const context = { db, reader, here, seen: await placesAt(db, reader, [...paths].slice(0, MAX_PATHS)) }
  const resolved: Resolved[] = []
  for (const [kind, resolve] of Object.entries(resolvers)) {
    const mine = known.filter((reference) => reference.kind === kind)
    if (mine.length > 0) resolved.push(...(await resolve(context, mine)))
  }
  return resolved.toSorted((a, b) => a.reference.start - b.reference.start)
}

function placeOf(reference: Reference): string | null {
  return 'path' in reference ? reference.path : reference.container
}

async function placesAt(
  db: Db | Tx['db'],
  reader: Viewer,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Seen>> {
  if (paths.length === 0) return new Map()
  const rows = await db
    .selectFrom('namespaces as n')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['n.id as namespace_id', 'n.traversal_ids', 'n.full_path', 'p.id as project_id'])
    .select(anyFeatureOpenAt(planning, 'p.settings', 'n', reader).as('planning_open'))
    .where(sql<boolean>`lower(n.full_path) = any(${paths}::text[])`)
    .where('n.kind', 'in', ['project', 'group'])
    .where(visibleTo('n', reader))
    .execute()
  return new Map(rows.map((row) => [row.full_path.toLowerCase(), row]))
}

/** Issues that the reader may see. */
async function resolveIssues(
  { db, reader, here, seen }: Context,
  references: readonly Reference[],
): Promise<Resolved[]> {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== 'issue') return []
    const { container, number } = reference
    const place = container === null ? here : seen.get(container.toLowerCase())
    return place === undefined ? [] : [{ reference, namespaceId: place.namespace_id, iid: number }]
  })
  if (asked.length === 0) return []
  const { rows } = await sql<{ id: number; iid: number; namespace_id: number }>`
    select i.id, i.iid, n.id as namespace_id
    from unnest(${asked.map(({ namespaceId }) => namespaceId)}::bigint[],
      ${asked.map(({ iid }) => iid)}::bigint[]) as wanted (namespace_id, iid)
    join projects p on p.project_namespace_id = wanted.namespace_id
    join namespaces n on n.id = wanted.namespace_id
    join issues i on i.project_id = p.id and i.iid = wanted.iid
    where ${issueVisibleTo(reader)}`.execute(db)
  const found = new Map(rows.map((row) => [`${row.namespace_id}#${row.iid}`, row]))
  return asked.flatMap(({ reference, namespaceId, iid }) => {
    const issue = found.get(`${namespaceId}#${iid}`)
    return issue === undefined ? [] : [{ reference, target: { type: 'Issue' as const, ...issue } }]
  })
}
