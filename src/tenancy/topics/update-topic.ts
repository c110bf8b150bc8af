import type { Selectable } from 'kysely'
import type { Topics } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { readTopicName } from './names.ts'

export interface TopicChanges {
  readonly name?: string
  readonly title?: string
  readonly description?: string | null
  /** The key of the avatar. */
  readonly avatar?: string | null
}

/**
 * Changes the given attributes and leaves the rest; from now on everybody can see the topic.
 * @param topic locked by {@link lockTopic}.
 * @throws 400 for a new name that is taken in the organization or impossible.
 */
export async function updateTopic(tx: Tx, topic: Selectable<Topics>, changes: TopicChanges): Promise<void> {
  const { title = topic.title, description = topic.description, avatar = topic.avatar } = changes
  const name = changes.name === undefined ? topic.name : readTopicName(changes.name)
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
