import { sql } from 'kysely'
import { insertRecords } from '#platform/db/recordset.ts'
import type { Consumer } from '#platform/facts/fact.ts'
import { kindOfType, noteableKinds } from '#planning/noteables/kinds.ts'

const columns = sql`
  noteable_id, author_id, body, discussion_id, starts_discussion, system, about_noteable_id, mention, created_at, updated_at`

/**
 * Writes the system note for a change, in the statement that records the domain event. Each kind of noteable says which
 * events produce one. Changes of state, labels, milestone and weight are not notes: they have lists of their own
 * ("Notes" in the specification).
 */
export const systemNotes: Consumer = {
  name: 'system_notes',
  facts: () => noteableKinds().flatMap((kind) => kind.systemNotes.facts),
  rows(fact, { author, now, random }) {
    const { target } = fact
    if (author === null || target === null) return []
    const note = kindOfType(target.type)?.systemNotes.read(fact)
    if (note === undefined) return []
    return [
      {
        noteable_id: target.id,
        author_id: author.id,
        body: note.body,
        discussion_id: `\\x${random.bytes(20).toString('hex')}`,
        starts_discussion: true,
        system: true,
        about_noteable_id: note.about ?? null,
        mention: note.mention ?? false,
        created_at: now,
        updated_at: now,
      },
    ]
  },
  statement: (rows) => sql`${insertRecords('notes', columns, rows)} on conflict do nothing`,
}
