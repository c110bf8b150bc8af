import { sql } from 'kysely'
import { createBot } from '#identity/users/create-bot.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Author } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'

/** It is the bot's alone: nobody can confirm an address there. */
const EMAIL = 'alert-bot@noreply.invalid'

const found = (db: JobContext['db']) =>
  db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('email', '=', EMAIL)
    .where('kind', '=', 'bot')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** The bot that opens and closes incidents. The first incident makes it. */
export async function alertBot(job: JobContext): Promise<Author> {
  const known = await found(job.db)
  if (known !== undefined) return known
  return job.transact(async (tx) => {
    await lockText(tx, 'alert bot')
    const meanwhile = await found(tx.db)
    if (meanwhile !== undefined) return meanwhile
    const { rows } = await sql<{ taken: boolean }>`
      select exists (select 1 from users where lower(username) = 'alert-bot')
        or exists (select 1 from namespaces where lower(full_path) = 'alert-bot') as taken`.execute(tx.db)
    const suffix = rows[0]?.taken === true ? `-${Buffer.from(tx.random.bytes(4)).toString('hex')}` : ''
    const username = `alert-bot${suffix}`
    const id = await createBot(tx, { username, name: 'Alert Bot', email: EMAIL, external: false })
    return { id, username }
  })
}
