import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { findOrganization } from '#identity/organizations/queries.ts'
import { readTopicName } from './names.ts'

export interface NewTopic {
  readonly name: string
  readonly title: string
  readonly description?: string | null
  /** The key of the avatar. */
  readonly avatar?: string | null
  readonly organization_id: number
}

/**
 * Makes a topic that everybody can see.
 * @throws 400 for a name that is taken in the organization or impossible, 404 for an unknown organization.
 */
export async function createTopic(tx: Tx, topic: NewTopic): Promise<{ id: number }> {
  const { title, description = null, avatar = null, organization_id } = topic
  const name = readTopicName(topic.name)
  await findOrganization(tx.db, organization_id)
  const created = await tx.db
    .insertInto('topics')
    .values({
      name,
      title,
      description,
      avatar,
      organization_id,
      curated: true,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'topic created',
    namespace: null,
    target: { type: 'Topic', id: created.id },
    details: { topic: name },
  })
  return created
}
