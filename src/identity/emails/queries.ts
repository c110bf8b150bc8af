import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { emailColumns, type EmailRow } from './entity.ts'

export const emailOrder: ListOrder = {
  of: 'Email',
  id: 'e.id',
  columns: { id: { column: 'e.id' } },
  by: 'id',
  sort: 'asc',
}

/** The further addresses of a user. */
export const emailsOf = (db: Db | Tx['db'], userId: number) =>
  db
    .selectFrom('emails as e')
    .select(emailColumns.map((name) => `e.${name}` as const))
    .where('e.user_id', '=', userId)

/** Finds one of a user's further addresses. @throws 404 `Email Not Found` */
export async function findEmailOf(db: Db | Tx['db'], userId: number, id: number): Promise<EmailRow> {
  return emailsOf(db, userId)
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Email'))
}

/** All confirmed addresses of users, the first one and further ones: for what may be sent where. */
export const hasConfirmed = (db: Db | Tx['db'], userId: number, address: string): Promise<boolean> =>
  sql<{ id: number }>`
    select id from users where id = ${userId} and lower(email) = ${address.toLowerCase()} and confirmed_at is not null
    union all
    select id from emails
    where user_id = ${userId} and lower(email) = ${address.toLowerCase()} and confirmed_at is not null`
    .execute(db)
    .then(({ rows }) => rows.length > 0)
