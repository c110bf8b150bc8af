import { type RawBuilder, sql } from 'kysely'
import { meetsTier } from '#platform/access/tiers.ts'
import type { Db } from '#platform/db/pool.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { type ResolvedReference, resolveReferences } from '#planning/references/resolve-references.ts'
import type { MarkupReader } from './reader.ts'
import { resolvePeople } from './resolve-people.ts'
import type { Target } from './target.ts'

/** Texts are in a project or group, and so is all that they name; what they name without a container is there. */
const nowhere = { namespace_id: 0, traversal_ids: [] }

/**
 * Finds what references lead to, as far as the reader may see it. It takes one statement for the containers that are named, one for
 * each kind that occurs, one for their titles and one for mentions, however many references there are.
 */
export async function resolveTargets(
  reader: MarkupReader,
  references: readonly Reference[],
): Promise<ReadonlyMap<Reference, Target>> {
  const open = openKinds(reader)
  const readable = references.filter(({ kind }) => open.get(kind) !== false)
  const resolved = await resolveReferences(reader.services.db, reader.viewer, nowhere, readable)
  const targets = new Map(await describeAll(reader.services.db, resolved))
  for (const [mention, target] of await resolvePeople(reader, references)) targets.set(mention, target)
  return targets
}

/** Whether the reader may read noteables of a kind anywhere: some need a plan, or a user. */
const openKinds = ({ services, viewer }: MarkupReader): ReadonlyMap<string, boolean> =>
  new Map(
    noteableKinds().flatMap(({ referenceTarget, tier, usersOnly = false }) => {
      const isOpen = meetsTier(tier, services) && !(usersOnly && viewer.id === null)
      return referenceTarget === undefined ? [] : [[referenceTarget.as, isOpen] as const]
    }),
  )

interface Row extends Target {
  readonly kind: string
  readonly id: number
  /** Of labels, the path of the container; otherwise empty. */
  readonly place: string
  /** Of labels, the name. */
  readonly label: string | null
}

async function describeAll(
  db: Db,
  resolved: readonly ResolvedReference[],
): Promise<(readonly [Reference, Target])[]> {
  const byKind = Map.groupBy(resolved, ({ target }) => nameOf(target))
  const queries = [...byKind].flatMap(([name, all]) => queryOf(name, all) ?? [])
  if (queries.length === 0) return []
  const { rows } = await sql<Row>`${sql.join(queries, sql` union all `)}`.execute(db)
  const found = new Map(rows.map((row) => [`${row.kind} ${row.id} ${row.place}`, row]))
  return resolved.flatMap(({ reference, target }) => {
    const row = found.get(`${nameOf(target)} ${target.id} ${placeOf(reference, target)}`)
    if (row === undefined) return []
    const query = row.label === null ? '' : `?label_name=${encodeURIComponent(row.label)}`
    return [[reference, { ...row, page: row.page + query }] as const]
  })
}

const nameOf = (target: ResolvedReference['target']): string =>
  target.type === 'Noteable' ? target.kind.as : target.type

/** Labels are shown where they are named: the same one has a page in each project below its group. */
const placeOf = (reference: Reference, { type }: ResolvedReference['target']): string =>
  type === 'Label' && 'container' in reference ? (reference.container ?? '').toLowerCase() : ''

function queryOf(name: string, all: readonly ResolvedReference[]): RawBuilder<unknown> | undefined {
  const ids = [...new Set(all.map(({ target }) => target.id))]
  if (name === 'Label') return labelsOf(all)
  if (name === 'Milestone') {
    return sql`
      select 'Milestone' as kind, m.id, '' as place, null::text as label, m.title, null::text as reference,
        case n.kind when 'project' then '' else 'groups/' end || n.full_path || '/-/milestones/' || m.iid as page
      from milestones m join namespaces n on n.id = m.namespace_id where m.id = any(${ids}::bigint[])`
  }
  const queries = noteableKinds().find(
    ({ referenceTarget }) => referenceTarget?.as === name,
  )?.notificationQueries
  return (
    queries &&
    sql`
      select ${name}::text as kind, wanted.id, '' as place, null::text as label, one.title, one.reference, one.page
      from unnest(${ids}::bigint[]) as wanted (id)
      cross join lateral (${queries.select(sql.ref('wanted.id'))}) one`
  )
}

/** Labels, whose page is the list of issues that have them. */
function labelsOf(all: readonly ResolvedReference[]): RawBuilder<unknown> {
  const wanted = new Map(
    all.map(({ reference, target }) => {
      const place = placeOf(reference, target)
      return [`${target.id} ${place}`, { id: target.id, place }]
    }),
  )
  return sql`
    select 'Label' as kind, l.id, wanted.place, l.name as label, coalesce(l.description, l.name) as title, null::text as reference,
      case n.kind when 'project' then '' else 'groups/' end || n.full_path || '/-/issues' as page
    from unnest(${[...wanted.values()].map(({ id }) => id)}::bigint[],
      ${[...wanted.values()].map(({ place }) => place)}::text[]) as wanted (id, place)
    join labels l on l.id = wanted.id
    join namespaces n on lower(n.full_path) = wanted.place`
}
