import { sql } from 'kysely'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { NoteableKind } from './kind.ts'

/** The number of added comments; negative when they were removed. */
export interface NoteCount {
  readonly open: number
  readonly internal: number
}

export const countOf = (internal: boolean, by: 1 | -1): NoteCount =>
  internal ? { open: 0, internal: by } : { open: by, internal: 0 }

type Values = NoteCount & { readonly id: number; readonly now: string }

const counting = (table: string) =>
  prepare((db, param: Param<Values>) => ({
    compile: () =>
      sql<never>`
        update ${sql.table(table)} set updated_at = ${param('now')}, notes_count = notes_count + ${param('open')},
          internal_notes_count = internal_notes_count + ${param('internal')}
        where id = ${param('id')}`.compile(db),
  }))

const statements = new WeakMap<NoteableKind, ReturnType<typeof counting>>()

/** Updates the counters of comments and `updated_at` of a locked noteable. */
export async function countNotes(
  tx: Tx,
  { kind, id }: { readonly kind: NoteableKind; readonly id: number },
  count: NoteCount,
): Promise<void> {
  const statement = statements.get(kind) ?? counting(kind.counters.table)
  statements.set(kind, statement)
  await statement(tx.db, { ...count, id, now: tx.now })
}
