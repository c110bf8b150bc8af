import { sql } from 'kysely'
import type { Consumer } from '#platform/facts/fact.ts'
import { kindOfType, noteableKinds } from '#planning/noteables/kinds.ts'

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
        discussion: random.bytes(20).toString('hex'),
        about_noteable_id: note.about ?? null,
        mention: note.mention ?? false,
        at: now,
      },
    ]
  },
  statement: (rows) => sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, about_noteable_id, mention,
      created_at, updated_at)
    select n.noteable_id, n.author_id, n.body, decode(n.discussion, 'hex'), true, true, n.about_noteable_id, n.mention, n.at, n.at
    from jsonb_to_recordset(${rows}) as n (noteable_id bigint, author_id bigint, body text, discussion text,
      about_noteable_id bigint, mention boolean, at timestamptz)
    on conflict do nothing`,
}
