import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { Awardable } from './awardables.ts'
import type { AwardRow } from './entity.ts'

/** Oldest first. With an order by the id alone, PostgreSQL would read all awards to find the oldest on something. */
export const awardOrder: ListOrder = {
  of: 'AwardEmoji',
  id: 'a.id',
  columns: { created_at: { column: 'a.created_at' } },
  by: 'created_at',
  sort: 'asc',
}

/** The awards on something, each with its author. */
export function awardsOn(db: Db | Tx['db'], { type, column, id }: Pick<Awardable, 'type' | 'column' | 'id'>) {
  return db
    .selectFrom('award_emoji as a')
    .where(`a.${column}`, '=', id)
    .select(['a.id', 'a.name', 'a.user_id', 'a.created_at', 'a.updated_at'])
    .select([
      sql<UserBasicRow>`(select ${userBasicJson('u')} from users u where u.id = a.user_id)`.as('user'),
      sql<number>`a.${sql.ref(column)}`.as('awardable_id'),
      sql<string>`${sql.lit(type)}`.as('awardable_type'),
    ])
}

/**
 * Finds one of the awards on something.
 * @throws 404 `Award Emoji Not Found`
 */
export async function findAward(db: Db | Tx['db'], on: Awardable, awardId: number): Promise<AwardRow> {
  return awardsOn(db, on)
    .where('a.id', '=', awardId)
    .executeTakeFirstOrThrow(() => notFound('Award Emoji'))
}
