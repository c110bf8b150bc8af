import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { NoteableResolver } from './context.ts'
import type { Reference } from './kinds.ts'

/** A kind of noteable that belongs to projects and has a number there. */
interface NumberedInProjects {
  readonly kind: Extract<Reference, { readonly number: number }>['kind']
  readonly table: string
  /** The alias of the table in `sees`. */
  readonly alias: string
  /** The column of the number. */
  readonly number: 'iid' | 'id'
  /** Whether the reader may see one, whose project is `p` and whose namespace is `n`. */
  readonly sees: (reader: Viewer) => RawBuilder<boolean>
}

/** Makes a resolver that finds noteables of projects by their numbers, as far as the reader may see them. */
export const resolveInProjects =
  ({ kind, table, alias, number: column, sees }: NumberedInProjects): NoteableResolver =>
  async ({ db, reader, here, seen }, references) => {
    const asked = references.flatMap((reference) => {
      if (reference.kind !== kind) return []
      const { container, number } = reference
      const namespace = container === null ? here : seen.get(container.toLowerCase())
      return namespace === undefined ? [] : [{ reference, namespaceId: namespace.namespace_id, number }]
    })
    if (asked.length === 0) return []
    // A text may name the same thing many times.
    const wanted = [...new Map(asked.map((one) => [keyOf(one.namespaceId, one.number), one])).values()]
    const of = (name: string) => sql.ref(`${alias}.${name}`)
    const { rows } = await sql<{ id: number; number: number; namespace_id: number }>`
      select ${of('id')}, ${of(column)} as number, n.id as namespace_id
      from unnest(${wanted.map(({ namespaceId }) => namespaceId)}::bigint[],
        ${wanted.map(({ number }) => number)}::bigint[]) as wanted (namespace_id, number)
      join projects p on p.project_namespace_id = wanted.namespace_id
      join namespaces n on n.id = wanted.namespace_id
      join ${sql.table(table)} as ${sql.ref(alias)} on ${of('project_id')} = p.id and ${of(column)} = wanted.number
      where ${sees(reader)}`.execute(db)
    const found = new Map(rows.map((row) => [keyOf(row.namespace_id, row.number), row]))
    return asked.flatMap(({ reference, namespaceId, number }) => {
      const noteable = found.get(keyOf(namespaceId, number))
      return noteable === undefined ? [] : [{ reference, noteable }]
    })
  }

const keyOf = (namespaceId: number, number: number): string => `${namespaceId} ${number}`
