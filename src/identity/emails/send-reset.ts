import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { mailReset } from './account-mails.ts'

interface Owner {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Sends a link for a new password to an address, if it is a confirmed one of somebody who may sign in. */
export const sendReset = defineTask(
  'emails/send-reset',
  'short',
  Type.Object({ email: Type.String() }),
  async ({ email }, job) => {
    const { mail } = job
    if (mail === undefined) return
    const address = email.toLowerCase()
    await job.transact(async (tx) => {
      const { rows } = await sql<Owner>`
        select u.id, u.username, u.name, coalesce(e.email, u.email) as email from users u
        left join emails e on e.user_id = u.id and lower(e.email) = ${address} and e.confirmed_at is not null
        where (lower(u.email) = ${address} and u.confirmed_at is not null
            or u.id = (select user_id from emails where lower(email) = ${address} and confirmed_at is not null))
          and u.kind = 'human' and u.state in ('active', 'deactivated') and u.deleted_at is null
        limit 1`.execute(tx.db)
      const [owner] = rows
      if (owner !== undefined) await mailReset(tx, owner, mail.site)
    })
  },
)
