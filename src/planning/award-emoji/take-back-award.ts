import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/http/errors.ts'
import { type AwardableKind, awardables, type Awarded } from './awardables.ts'

interface Award {
  readonly id: number
  readonly name: string
}

/** @throws 404 when somebody else took it back meanwhile: it counts once. */
export async function takeBackAward(tx: Tx, kind: AwardableKind, on: Awarded, award: Award): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('award_emoji')
    .where('id', '=', award.id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('Award Emoji')
  const { type, account } = awardables[kind]
  await account(tx, on.id, award.name, -1)?.execute(tx.db)
  record(tx, {
    name: 'award emoji taken back',
    namespace: on.namespace_id,
    target: { type, id: on.id },
    details: { emoji: award.name },
  })
}
