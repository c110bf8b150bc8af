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

/** What {@link counting} adds to the counters of a noteable, and when. */
export interface Counting extends NoteCount {
  readonly id: number
  readonly now: string
}

/** Updates the counters of comments and `updated_at` of a noteable. */
export const counting = ({ counters }: NoteableKind, { id, open, internal, now }: Counting) => sql<never>`
  update ${sql.table(counters.table)} set updated_at = ${now}, notes_count = notes_count + ${open},
    internal_notes_count = internal_notes_count + ${internal}
  where id = ${id}`

const prepared = (kind: NoteableKind) =>
  prepare((db, param: Param<Counting>) => ({
    compile: () =>
      counting(kind, {
        id: param('id'),
        open: param('open'),
        internal: param('internal'),
        now: param('now'),
      }).compile(db),
  }))

const statements = new WeakMap<NoteableKind, ReturnType<typeof prepared>>()

/** Does so as a statement of its own, for a locked noteable. */
export async function countNotes(
  tx: Tx,
  { kind, id }: { readonly kind: NoteableKind; readonly id: number },
  count: NoteCount,
): Promise<void> {
  const statement = statements.get(kind) ?? prepared(kind)
  statements.set(kind, statement)
  await statement(tx.db, { ...count, id, now: tx.now })
}
