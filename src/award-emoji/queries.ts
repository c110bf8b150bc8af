import { sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import type { Tx } from '#db/transaction.ts'
import { notFound } from '#http/errors.ts'
import type { ListOrder } from '#http/order.ts'
import { userBasicJson } from '#users/basic.ts'
import { type AwardableKind, awardables, type AwardableType } from './awardables.ts'
import type { AwardRow } from './entity.ts'

export const awardOrder: ListOrder = {
  of: 'AwardEmoji',
  id: 'a.id',
  columns: { id: { column: 'a.id' } },
  by: 'id',
  sort: 'asc',
}

/** The awards on something, each with who gave it. */
export function awardsOn(db: Db | Tx['db'], kind: AwardableKind, id: number) {
  const { type, column } = awardables[kind]
  return db
    .selectFrom('award_emoji as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .where(`a.${column}`, '=', id)
    .select(['a.id', 'a.name', 'a.user_id', 'a.created_at', 'a.updated_at'])
    .select([
      userBasicJson('u').as('user'),
      sql<number>`a.${sql.ref(column)}`.as('awardable_id'),
      sql<AwardableType>`${sql.lit(type)}`.as('awardable_type'),
    ])
}

/**
 * One of the awards on something.
 * @throws 404 `Award Emoji Not Found`
 */
export async function findAward(
  db: Db | Tx['db'],
  kind: AwardableKind,
  id: number,
  awardId: number,
): Promise<AwardRow> {
  const award = await awardsOn(db, kind, id).where('a.id', '=', awardId).executeTakeFirst()
  if (award === undefined) throw notFound('Award Emoji')
  return award
}
