import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import type { Awardable } from './awardables.ts'

interface Award {
  readonly id: number
  readonly name: string
}

/** @throws 404 when another request took it back meanwhile, so that it counts once. */
export async function takeBackAward(tx: Tx, on: Awardable, award: Award): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('award_emoji')
    .where('id', '=', award.id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('Award Emoji')
  await on.account(tx, award.name, -1)
  record(tx, {
    name: 'award emoji taken back',
    namespace: on.namespace_id,
    target: { type: on.type, id: on.id },
    details: { emoji: award.name, award_id: award.id },
  })
}
