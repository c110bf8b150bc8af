import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { anyProjectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { planningFeatures } from '#planning/project-features.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { append } from '#platform/sequences.ts'
import { sql } from 'kysely'
import type { ReferenceTarget } from '#planning/noteables/kind.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { Reference } from './kinds.ts'
import type { Context, NoteableInContainer, ReferenceContext } from './context.ts'
import { resolveLabels, resolveMilestones } from './resolve-named.ts'

/** What a reference leads to. */
export type ReferencedItem =
  | { readonly type: 'Project'; readonly id: number; readonly full_path: string }
  | { readonly type: 'Label'; readonly id: number; readonly name: string }
  | { readonly type: 'Milestone'; readonly id: number; readonly title: string }
  | NoteableTarget

/** A noteable of any kind. */
export interface NoteableTarget extends NoteableInContainer {
  readonly type: 'Noteable'
  readonly kind: ReferenceTarget
}

export interface ResolvedReference {
  readonly reference: Reference
  readonly target: ReferencedItem
}

type Resolver = (context: Context, references: readonly Reference[]) => Promise<readonly ResolvedReference[]>

const resolveProjects: Resolver = async ({ seen }, references) =>
  references.flatMap((reference) => {
    const found = 'path' in reference ? seen.get(reference.path.toLowerCase()) : undefined
    if (found === undefined || found.project_id === null) return []
    const { project_id: id, full_path } = found
    return [{ reference, target: { type: 'Project', id, full_path } }]
  })

type KindResolver = readonly [kind: Reference['kind'], resolve: Resolver]

/** One resolver for each kind except noteables, which bring their own. Each takes one statement at most. */
const others: readonly KindResolver[] = [
  ['project', resolveProjects],
  ['label', resolveLabels],
  ['milestone', resolveMilestones],
]

/** All resolvers: those and the ones of noteables that texts can name. */
function allResolvers(): ReadonlyMap<Reference['kind'], Resolver> {
  const noteables = referredKinds().map((kind): KindResolver => [kind.as, resolverOf(kind)])
  return new Map([...others, ...noteables])
}

const referredKinds = (): ReferenceTarget[] =>
  noteableKinds().flatMap(({ referenceTarget }) => referenceTarget ?? [])

const resolverOf =
  (kind: ReferenceTarget): Resolver =>
  async (context, references) =>
    (await kind.resolve(context, references)).map(({ reference, noteable }) => ({
      reference,
      target: { type: 'Noteable', kind, ...noteable },
    }))

/** The most different paths to look up in one text. */
const MAX_PATHS = 200

/**
 * Resolves the references in a text, as far as the reader may see the targets; others are left out. It takes one
 * statement for the containers and one for each kind that occurs.
 */
export async function resolveReferences(
  db: Db | Tx['db'],
  reader: Viewer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<ResolvedReference[]> {
  const resolvers = allResolvers()
  const known = references.filter(({ kind }) => resolvers.has(kind))
  const paths = new Set(known.flatMap((one) => placeOf(one)?.toLowerCase() ?? []))
  const context = { db, reader, here, seen: await placesAt(db, reader, [...paths].slice(0, MAX_PATHS)) }
  const resolved: ResolvedReference[] = []
  for (const [kind, resolve] of resolvers) {
    const mine = known.filter((reference) => reference.kind === kind)
    if (mine.length > 0) append(resolved, await resolve(context, mine))
  }
  return resolved.toSorted((a, b) => a.reference.start - b.reference.start)
}

/** The noteables that the references in a text lead to, as far as the reader may see them. */
export async function resolveNoteables(
  db: Db | Tx['db'],
  reader: Viewer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<NoteableTarget[]> {
  const kinds = new Set<string>(referredKinds().map(({ as }) => as))
  const asked = references.filter(({ kind }) => kinds.has(kind))
  if (asked.length === 0) return []
  const found = await resolveReferences(db, reader, here, asked)
  return found.flatMap(({ target }) => (target.type === 'Noteable' ? [target] : []))
}

function placeOf(reference: Reference): string | null {
  return 'path' in reference ? reference.path : reference.container
}

async function placesAt(
  db: Db | Tx['db'],
  reader: Viewer,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ReferenceContext>> {
  if (paths.length === 0) return new Map()
  const rows = await db
    .selectFrom('namespaces as n')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['n.id as namespace_id', 'n.traversal_ids', 'n.full_path', 'p.id as project_id'])
    .select(anyProjectFeatureOpenAt(planningFeatures, 'p.settings', 'n', reader).as('planning_open'))
    .where(sql<boolean>`lower(n.full_path) = any(${paths}::text[])`)
    .where('n.kind', 'in', ['project', 'group'])
    .where(visibleTo('n', reader))
    .execute()
  return new Map(rows.map((row) => [row.full_path.toLowerCase(), row]))
}
