import type { TransactionSource } from '#platform/db/transaction.ts'
import { Refused } from './command.ts'

/** Finds the user that a command names. @throws {Refused} */
export async function findUserByName({ db }: Pick<TransactionSource, 'db'>, username: string) {
  const user = await db
    .selectFrom('users')
    .select(['id', 'kind', 'admin'])
    .where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (user === undefined || user.kind === 'ghost') throw new Refused(`there is no user "${username}"`)
  return user
}
