import { sql } from 'kysely'
import type { NoteableResolver } from '#planning/references/context.ts'
import { projectVisibleTo } from './visible.ts'

/** The snippets of projects that references in a text lead to, as far as the reader may see them. */
export const resolveSnippets: NoteableResolver = async ({ db, reader, here, seen }, references) => {
  const asked = references.flatMap((reference) => {
    if (reference.kind !== 'snippet') return []
    const { container, number } = reference
    const namespace = container === null ? here : seen.get(container.toLowerCase())
    return namespace === undefined ? [] : [{ reference, namespaceId: namespace.namespace_id, id: number }]
  })
  if (asked.length === 0) return []
  const { rows } = await sql<{ id: number; namespace_id: number }>`
    select s.id, n.id as namespace_id
    from unnest(${asked.map(({ namespaceId }) => namespaceId)}::bigint[],
      ${asked.map(({ id }) => id)}::bigint[]) as wanted (namespace_id, id)
    join projects p on p.project_namespace_id = wanted.namespace_id
    join namespaces n on n.id = wanted.namespace_id
    join snippets s on s.project_id = p.id and s.id = wanted.id
    where ${projectVisibleTo(reader)}`.execute(db)
  const found = new Map(rows.map((row) => [`${row.namespace_id}$${row.id}`, row]))
  return asked.flatMap(({ reference, namespaceId, id }) => {
    const noteable = found.get(`${namespaceId}$${id}`)
    return noteable === undefined ? [] : [{ reference, noteable }]
  })
}
