import { type RawBuilder, sql } from 'kysely'
import { heldNodes, inGrants } from '#platform/access/held-nodes.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { openVisibilities, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import { COUNTED, type PageOfIds, type PageWanted } from '#platform/http/pagination.ts'
import { countedTo, type Matched, pageOf, pageOfIds, totalOfIds } from '#platform/lists/page-of-ids.ts'
import { onlyOne } from '#platform/sequences.ts'
import { projectOrder } from '../order.ts'
import { openProjects, type Source } from './sources.ts'

/**
 * Finds the ids of a page of projects, and how many there are, in the two ways of page-of-ids.ts. Few are those that can be in
 * the list at all: those of a group, those with a topic, or those that the viewer may see. They are found by an index, then
 * filtered and sorted. Either way the viewer's rights are computed once (held-nodes.ts).
 */

type Sql = RawBuilder<unknown>
type Condition = RawBuilder<boolean>

/** What a list is about. */
export interface ProjectSelection {
  readonly viewer: Viewer
  /** Leads to the projects of the list; undefined when only rights and conditions narrow it. */
  readonly source?: Source | undefined
  /** The level that the viewer must have there; undefined for whatever they may see. */
  readonly level?: number | undefined
  /** Further conditions, on `projects` as `p` and `namespaces` as `n`. */
  readonly conditions: readonly Condition[]
  /** Whether the text of the conditions is the same in many requests, so that it pays to keep the statement. */
  readonly usual: boolean
  /** How well a project matches a search, for `order_by=similarity`. */
  readonly similarity?: Sql | undefined
}

const cache = new StatementCache({ name: 'ids of projects', max: 64, plan: 'generic' })

/** Finds a page. */
export async function findPage(db: Db, selection: ProjectSelection, wanted: PageWanted): Promise<PageOfIds> {
  const key = keyOf(wanted, selection)
  const few = matched(selection, key)
  const query = pageOfIds(
    rights(selection),
    few && { ...few, page: matchedPage(key, wanted) },
    {
      total: wanted.isLong ? sql.lit(COUNTED) : total(selection),
      page: walkedPage(selection, key, wanted),
    },
    wanted,
  )
  return onlyOne(
    selection.usual && wanted.offset === 0 ? await cache.run(db, query) : (await query.execute(db)).rows,
  )
}

/** Counts the projects, up to the limit of totals. */
export async function countProjects(db: Db, selection: ProjectSelection): Promise<number> {
  const query = totalOfIds(rights(selection), matched(selection), total(selection))
  const { rows } = await query.execute(db)
  return rows[0]?.total ?? 0
}

/** A query for the `id` of every project of the list, for keyset pages, which walk along the ids. */
export function everyProject(db: Db, selection: ProjectSelection) {
  const tested = sql<boolean>`exists (with recursive ${heldNodes(selection.viewer, selection.level)}
    select 1 from namespaces n
      where n.id = p.project_namespace_id and n.kind = 'project' and ${passes(selection, inGrants('n'))})`
  const every = db.selectFrom('projects as p').select('p.id')
  const few = matched(selection)
  if (few === undefined) return every.where(tested)
  // The namespaces of all that pass; or only null when there are too many candidates.
  const found = sql`(with recursive ${rights(selection)}${few.tables}
    select m.node from matched m union all select null where not ${isFew})`
  return every.where(sql<boolean>`(with found (node) as materialized ${found}
    select case when exists (select 1 from found f where f.node is null) then ${tested}
      else (p.project_namespace_id in (select f.node from found f)) is true end)`)
}

/** Whether nothing but conditions narrows the list. Then the index of the order leads to it. */
const seesAll = ({ viewer, source, level }: ProjectSelection): boolean =>
  viewer.admin && source === undefined && level === undefined

/** Whether all candidates were found. */
const isFew = sql`(select count(*) < ${sql.lit(COUNTED)} from candidates)`

const rights = ({ viewer, level }: ProjectSelection): Sql => sql`${heldNodes(viewer, level)}, `

/**
 * `candidates (id)`, the namespaces from which the list is chosen, and `matched (node, by)`, those of them whose projects
 * pass, with the values of an order; or none when there are too many candidates.
 * @returns undefined when the index of the order leads to the list.
 */
function matched(selection: ProjectSelection, key?: OrderKey): Matched | undefined {
  if (seesAll(selection)) return undefined
  const { source, conditions } = selection
  // Without another source, the candidates are what the viewer has rights to.
  const member = source === undefined ? sql<boolean>`true` : inGrants('n')
  const plain = source === undefined && conditions.length === 0 && (key === undefined || key.of === 'n')
  const project = plain ? sql`` : sql`join projects p on p.project_namespace_id = n.id`
  const tables = sql`candidates (id) as materialized (select c.id from (${candidates(selection)}) c limit ${sql.lit(COUNTED)}),
    matched (node, by, id) as materialized (
      select n.id, ${key?.value ?? sql`null`}, ${key?.id ?? sql`n.id`} from namespaces n ${project}
        where n.id = any(case when ${isFew} then array(select c.id from candidates c) end) and n.kind = 'project'
          and ${passes(selection, member)})`
  return { tables, isAll: isFew }
}

function candidates({ viewer, source, level }: ProjectSelection): Sql {
  if (source !== undefined) return source.ids
  const held = sql`select h.id from held h where h.kind = 'project'`
  if (level !== undefined) return held
  const open = openProjects(openVisibilities(viewer))
  return viewer.id === null ? open : sql`(${held}) union all (${open})`
}

/**
 * Whether a project, `p` with `n`, belongs in the list.
 * @param member whether the viewer has the level there.
 */
function passes({ viewer, source, level, conditions }: ProjectSelection, member: Condition): Sql {
  const weak = level !== undefined && level < levels.guest
  const visible = weak ? visibleTo('n', viewer) : visibleTo('n', viewer, member)
  const belongs = [
    ...(level === undefined ? [] : [member]),
    ...(source === undefined ? [] : [source.test]),
    ...conditions,
  ]
  return sql.join([visible, ...belongs], sql` and `)
}

/** All projects that pass, for the walk along the index of an order. */
const walk = (selection: ProjectSelection): Sql =>
  sql`from projects p join namespaces n on n.id = p.project_namespace_id
    where n.kind = 'project' and ${passes(selection, inGrants('n'))}`

const walkedPage = (selection: ProjectSelection, key: OrderKey, wanted: PageWanted): Sql =>
  sql`select p.id ${walk(selection)} ${key.sorted(key.value, key.id)} ${pageOf(wanted)}`

const matchedPage = (key: OrderKey, wanted: PageWanted): Sql =>
  sql`select p.id from (select m.node, m.by, m.id from matched m ${key.sorted(sql`m.by`, sql`m.id`)} ${pageOf(wanted)}) m
    join projects p on p.project_namespace_id = m.node ${key.sorted(sql`m.by`, sql`m.id`)}`

/** How many projects pass on the walk, up to the limit of totals. */
function total(selection: ProjectSelection): Sql {
  const { viewer, source, conditions } = selection
  const unconditional = source === undefined && conditions.length === 0
  if (unconditional && !seesAll(selection)) return sql.lit(COUNTED)
  // Every namespace of this kind has a project.
  const every = sql`from namespaces n where n.kind = 'project' and ${visibleTo('n', viewer)}`
  return countedTo(sql`select 1 ${unconditional ? every : walk(selection)}`)
}

interface OrderKey {
  /** The table that has the value. */
  readonly of: 'n' | 'p'
  readonly value: Sql
  /** The id that orders projects with the same value: that of the table with the value, because its index has it, too. */
  readonly id: Sql
  sorted(value: Sql, id: Sql): Sql
}

function keyOf({ by, sort }: PageWanted, { similarity }: ProjectSelection): OrderKey {
  const direction = sql.raw(sort)
  const column = projectOrder.columns[by]?.column ?? projectOrder.id
  const ofProjects = column.startsWith('p.')
  return {
    of: ofProjects ? 'p' : 'n',
    value: by === 'similarity' && similarity !== undefined ? similarity : sql.ref(column),
    id: sql.ref(ofProjects ? 'p.id' : 'n.id'),
    sorted: (value, id) => sql`order by ${value} ${direction}, ${id} ${direction}`,
  }
}
