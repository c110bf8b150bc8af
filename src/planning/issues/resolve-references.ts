import { sql } from 'kysely'
import type { NoteableResolver } from '#planning/references/context.ts'
import { issueVisibleTo } from './visible.ts'

/** The issues that references in a text lead to, as far as the reader may see them. */
export const resolveIssues: NoteableResolver = async ({ db, reader, here, seen }, references) => {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== 'issue') return []
    const { container, number } = reference
    const namespace = container === null ? here : seen.get(container.toLowerCase())
    return namespace === undefined ? [] : [{ reference, namespaceId: namespace.namespace_id, iid: number }]
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
    const noteable = found.get(`${namespaceId}#${iid}`)
    return noteable === undefined ? [] : [{ reference, noteable }]
  })
}
