import { sql } from 'kysely'
import type { NoteableResolver } from '#planning/references/context.ts'
import { mergeRequestVisibleTo } from './visible.ts'

/** The merge requests that references in a text lead to, as far as the reader may see them. */
export const resolveMergeRequests: NoteableResolver = async ({ db, reader, here, seen }, references) => {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== 'merge_request') return []
    const { container, number } = reference
    const namespace = container === null ? here : seen.get(container.toLowerCase())
    return namespace === undefined ? [] : [{ reference, namespaceId: namespace.namespace_id, iid: number }]
  })
  if (asked.length === 0) return []
  const { rows } = await sql<{ id: number; iid: number; namespace_id: number }>`
    select mr.id, mr.iid, n.id as namespace_id
    from unnest(${asked.map(({ namespaceId }) => namespaceId)}::bigint[],
      ${asked.map(({ iid }) => iid)}::bigint[]) as wanted (namespace_id, iid)
    join projects p on p.project_namespace_id = wanted.namespace_id
    join namespaces n on n.id = wanted.namespace_id
    join merge_requests mr on mr.project_id = p.id and mr.iid = wanted.iid
    where ${mergeRequestVisibleTo(reader)}`.execute(db)
  const found = new Map(rows.map((row) => [`${row.namespace_id}!${row.iid}`, row]))
  return asked.flatMap(({ reference, namespaceId, iid }) => {
    const noteable = found.get(`${namespaceId}!${iid}`)
    return noteable === undefined ? [] : [{ reference, noteable }]
  })
}
