import { type RawBuilder, sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import { contains } from '#platform/db/search.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { type NoteRow, presentNote } from '#planning/notes/entity.ts'
import { noteColumns } from '#planning/notes/queries.ts'
import { noteVisibleTo } from '#planning/notes/visible.ts'
import { type Finder, forList, type SearchRequest } from './request.ts'

const noteOrder: ListOrder = {
  of: 'Note',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' } },
  by: 'created_at',
  sort: 'desc',
}

/** Of each kind, the comments on so many things are searched: those that changed last. */
const LAST = 5_000

interface FoundNote extends NoteRow {
  readonly kind: string
  readonly noteable_id: number
  readonly iid: number | null
}

/** Comments in a project, on whatever the caller may see there. */
export const findNotes: Finder = async (req, reply) => {
  const { viewer, site, query } = req
  const project = req.project()
  const notes = (longest?: number) => notesIn(req, longest).where(contains(['x.body'], query.search))
  if (await hasMore(req)) reply.header('x-search-incomplete', 'true')
  const long = {
    rows: await paginate(forList(req, {}), reply, notes(inlineBytes(query)), noteOrder),
    lacks: ({ left_out }: FoundNote) => left_out ?? 0,
    whole: (ids: readonly number[]): Promise<FoundNote[]> => notes().where(isAnyOf('x.id', ids)).execute(),
  }
  return sendLong(req, reply, long, (some) =>
    some.flatMap((row) => {
      const kind = kindsInProjects().find(({ name }) => name === row.kind)
      if (kind === undefined) return []
      const on = { kind, id: row.noteable_id, iid: row.iid, container: { projectId: project.container.id } }
      return presentNote(row, on, { viewer, site })
    }),
  )
}

export const kindsInProjects = () => noteableKinds().filter(({ container }) => container.kind === 'project')

/** The comments on things of the project that changed last and that the caller may see, with their authors. */
function notesIn(req: SearchRequest, longest?: number) {
  const kinds = readableKinds(req)
  // The offsets make PostgreSQL look up the comments of each thing, and not read those of all projects.
  const notes = sql<NoteOfKind>`(select nt.kind, x.id, x.noteable_id, x.type, x.system, x.internal, x.created_at, x.updated_at,
      x.author_id, x.body, x.about_noteable_id
    from (${lastChanged(req, kinds)}) nt
    cross join lateral (
      select x.id, x.noteable_id, x.type, x.system, x.internal, x.created_at, x.updated_at, x.author_id, x.body,
        x.about_noteable_id from notes x where x.noteable_id = nt.id and not x.system offset 0) x)`
  return req.server.db
    .selectFrom(notes.as('x'))
    .leftJoin('users as u', 'u.id', 'x.author_id')
    .select(noteColumns(longest))
    .select(['x.kind', 'x.noteable_id', iidOf(kinds).as('iid')])
    .where(noteVisibleTo(req.viewer, req.project().can('read_internal_note'), 'x', false))
}

interface NoteOfKind {
  readonly id: number
  readonly kind: string
  readonly noteable_id: number
  readonly author_id: number
}

/** The kinds of things in the project that the caller may read. */
const readableKinds = (req: SearchRequest): readonly NoteableKind[] =>
  kindsInProjects().filter(({ container }) => container.authorized(req).may('read'))

/**
 * The `id` and `kind` of the things that changed last, a comment being a change, and that have comments and are open to the caller: as
 * where paths name one (find-noteable.ts). Most see all of a kind, so few are looked up.
 */
function lastChanged(req: SearchRequest, kinds: readonly NoteableKind[]): RawBuilder<unknown> {
  const each = kinds.map((kind) => {
    const open = kind.notificationQueries?.openTo?.(sql<number>`nt.id`, sql<number>`${req.viewer.id}::bigint`)
    const seen = open === undefined || kind.rows.seesRestricted(req) ? sql`true` : open
    return sql`(select nt.id, nt.kind from (
        select nt.id, nt.kind, nt.notes_count + nt.internal_notes_count as notes from noteables nt ${ofKind(req, kind)}
          order by nt.updated_at desc, nt.id desc limit ${sql.lit(LAST)}) nt
      where nt.notes > 0 and ${seen})`
  })
  return each.length === 0
    ? sql`select 0::bigint as id, '' as kind where false`
    : sql.join(each, sql` union all `)
}

const ofKind = (req: SearchRequest, { name }: NoteableKind): RawBuilder<unknown> =>
  sql`where nt.namespace_id = ${req.project().container.namespace_id} and nt.kind = ${sql.lit(name)}`

/** Whether the project has things that are not searched, because so many others changed later. */
async function hasMore(req: SearchRequest): Promise<boolean> {
  const each = readableKinds(req).map(
    (kind) => sql`exists (select 1 from noteables nt ${ofKind(req, kind)} offset ${sql.lit(LAST)} limit 1)`,
  )
  if (each.length === 0) return false
  const { rows } = await sql<{ more: boolean }>`select (${sql.join(each, sql` or `)}) as more`.execute(
    req.server.db,
  )
  return rows[0]?.more === true
}

/** The number of a noteable in its project; null where it has none. */
function iidOf(kinds: readonly NoteableKind[]): RawBuilder<number | null> {
  const cases = kinds
    .filter(({ notes }) => notes.fields.iid)
    .map(
      ({ name, table }) =>
        sql`when ${sql.lit(name)} then (select t.iid from ${sql.table(table)} t where t.id = x.noteable_id)`,
    )
  return cases.length === 0
    ? sql<number | null>`null::integer`
    : sql<number | null>`(case x.kind ${sql.join(cases, sql` `)} end)`
}
