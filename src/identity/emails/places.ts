import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { networkOf } from '#platform/http/addresses.ts'

/**
 * Remembers from where somebody signs in.
 * @returns whether they have never been seen there, although they have been seen elsewhere.
 */
export async function isNewPlace(
  tx: Tx,
  userId: number,
  { ip, browser }: { readonly ip: string | null; readonly browser: string },
): Promise<boolean> {
  const place = `${ip === null ? '' : networkOf(ip)} ${browser}`.slice(0, 255)
  const { rows } = await sql<{ fresh: boolean; others: boolean }>`
    with others as (select from sign_in_places where user_id = ${userId} and place <> ${place} limit 1)
    insert into sign_in_places as known (user_id, place, seen_at) values (${userId}, ${place}, ${tx.now})
    on conflict (user_id, place) do update set seen_at = excluded.seen_at
    returning xmax = 0 as fresh, exists (select from others) as others`.execute(tx.db)
  const [row] = rows
  return row !== undefined && row.fresh && row.others
}
