import { sql } from 'kysely'
import type { NoteableResolver } from '#planning/references/context.ts'
import { epicVisibleTo } from './visible.ts'

/**
 * The epics that references in a text lead to, as far as the reader may see them. Without a group, a reference in a project
 * means the group that the project is in.
 */
export const resolveEpics: NoteableResolver = async ({ db, reader, here, seen }, references) => {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== 'epic') return []
    const { container, number } = reference
    const namespace = container === null ? here : seen.get(container.toLowerCase())
    return namespace === undefined ? [] : [{ reference, path: namespace.traversal_ids, iid: number }]
  })
  if (asked.length === 0) return []
  // The last two of a path: of a project's, the second is the project itself.
  const { rows } = await sql<{ nth: number; id: number; namespace_id: number }>`
    select distinct on (wanted.nth) wanted.nth::integer as nth, e.id, n.id as namespace_id
    from unnest(${asked.map(({ path }) => path.at(-1) ?? 0)}::bigint[], ${asked.map(({ path }) => path.at(-2) ?? 0)}::bigint[],
      ${asked.map(({ iid }) => iid)}::bigint[]) with ordinality as wanted (last, above, iid, nth)
    join namespaces own on own.id = wanted.last
    join namespaces n on n.kind = 'group' and n.id = case own.kind when 'project' then wanted.above else wanted.last end
    join epics e on e.group_id = n.id and e.iid = wanted.iid
    where ${epicVisibleTo(reader)}
    order by wanted.nth`.execute(db)
  const found = new Map(rows.map((row) => [row.nth - 1, row]))
  return asked.flatMap(({ reference }, nth) => {
    const noteable = found.get(nth)
    return noteable === undefined ? [] : [{ reference, noteable }]
  })
}
