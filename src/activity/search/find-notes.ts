import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { type NoteRow, presentNote } from '#planning/notes/entity.ts'
import { noteColumns } from '#planning/notes/queries.ts'
import { noteableVisibleTo, noteVisibleTo } from '#planning/notes/visible.ts'
import { type Finder, forList } from './request.ts'

const noteOrder: ListOrder = {
  of: 'Note',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' } },
  by: 'created_at',
  sort: 'desc',
}

interface FoundNote extends NoteRow {
  readonly kind: string
  readonly noteable_id: number
  readonly iid: number | null
}

/** Comments in a project, on whatever the caller may see there. */
export const findNotes: Finder = async (req, reply) => {
  const { viewer, site, query, server } = req
  const project = req.project()
  const notes = (longest?: number) =>
    notesWith(server.db, project, viewer, longest).where(contains(['x.body'], query.search))
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

/** The comments on things of a project that the viewer may see, with their authors. */
function notesWith(db: Db, { container, can }: AuthorizedProject, viewer: Viewer, longest?: number) {
  return db
    .selectFrom('noteables as nt')
    .innerJoin('notes as x', 'x.noteable_id', 'nt.id')
    .leftJoin('users as u', 'u.id', 'x.author_id')
    .select(noteColumns(longest))
    .select(['nt.kind', 'x.noteable_id', iidOf(sql`nt`).as('iid')])
    .where('nt.namespace_id', '=', container.namespace_id)
    .where('x.system', '=', false)
    .where(noteVisibleTo(viewer, can('read_internal_note'), 'x', false))
    .where(noteableVisibleTo(viewer, sql<number>`nt.id`))
}

/** The number of a noteable in its project; null where it has none. */
function iidOf(noteable: RawBuilder<unknown>): RawBuilder<number | null> {
  const numbered = kindsInProjects().filter(({ notes }) => notes.fields.iid)
  const cases = numbered.map(
    ({ name, table }) =>
      sql`when ${sql.lit(name)} then (select t.iid from ${sql.table(table)} t where t.id = ${noteable}.id)`,
  )
  return sql<number | null>`(case ${noteable}.kind ${sql.join(cases, sql` `)} end)`
}
