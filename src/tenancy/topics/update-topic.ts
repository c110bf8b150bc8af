import type { Selectable } from 'kysely'
import type { Topics } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { assertSlug } from './names.ts'

export interface TopicChanges {
  readonly name?: string
  readonly title?: string
  readonly description?: string | null
  /** The key of a picture. */
  readonly avatar?: string | null
}

/**
 * Changes what is given and leaves the rest; everybody may know of the topic from now on.
 * @param topic locked by {@link lockTopic}.
 * @throws 400 for a new name that is taken in the organization or no slug.
 */
export async function updateTopic(tx: Tx, topic: Selectable<Topics>, changes: TopicChanges): Promise<void> {
  const {
    name = topic.name,
    title = topic.title,
    description = topic.description,
    avatar = topic.avatar,
  } = changes
  // A name that came with a project may have blanks, and stays until somebody gives another.
  if (name !== topic.name) assertSlug(name)
  await tx.db
    .updateTable('topics')
    .set({ name, title, description, avatar, curated: true, updated_at: tx.now })
    .where('id', '=', topic.id)
    .execute()
  record(tx, {
    name: 'topic changed',
    namespace: null,
    target: { type: 'Topic', id: topic.id },
    details: { topic: name, fields: Object.keys(changes) },
  })
}
