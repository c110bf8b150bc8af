import type { Write } from '#platform/http/long-rows.ts'
import type { SingleNote } from '#planning/notes/queries.ts'
import { type DiscussionRow, discussionsOf } from './entity.ts'

/** How the text of a discussion ends: its notes are the last field. */
const END = ']}'

/**
 * Writes discussions, each of which may have more notes than fit in memory. A discussion opens, its notes follow in
 * slices, and it ends when the next one begins.
 * @param as whether the answer is an array of discussions or one discussion.
 */
export function discussionByDiscussion(
  present: (row: DiscussionRow) => unknown,
  as: 'array' | 'one',
): Write<SingleNote> {
  return async function* (slices, serialize) {
    const unended = (row: DiscussionRow) => {
      const text = as === 'one' ? serialize(present(row)) : serialize([present(row)]).slice(1, -1)
      return text.slice(0, -END.length)
    }
    let open: Buffer | undefined
    if (as === 'array') yield '['
    for await (const notes of slices) {
      for (const row of discussionsOf(notes)) {
        if (open?.equals(row.id)) {
          // A discussion with several notes is a thread, so the text before the notes is the same in each slice.
          yield `,${unended(row).slice(unended({ ...row, notes: [] }).length)}`
        } else {
          yield `${open === undefined ? '' : `${END},`}${unended(row)}`
          open = row.id
        }
      }
    }
    if (open !== undefined) yield END
    if (as === 'array') yield ']'
  }
}
