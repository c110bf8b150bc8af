import { sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { letter } from '#platform/mail/letter.ts'
import { queueMails } from '#platform/mail/queue-mails.ts'
import { pages } from '#platform/pages/links.ts'

/** A token that expires soon. */
export interface EndingToken {
  readonly id: number
  readonly name: string
  /** Of the project or group; null for a personal token. */
  readonly namespace_id: number | null
  readonly expires_at: string
  readonly days: number
}

interface Receiver {
  readonly token_id: number
  readonly name: string
  readonly email: string
  readonly full_path: string | null
}

/** People who are told of one token. */
const MAX_RECIPIENTS = 100

/**
 * Tells people of tokens that expire soon: of a personal one its owner, of a project's token the project's direct
 * Maintainers and Owners, of a group's token the group's direct Owners.
 */
export async function mailExpiry(tx: Tx, tokens: readonly EndingToken[], site: string): Promise<void> {
  if (tokens.length === 0 || !tx.sendsMail) return
  const { rows } = await sql<Receiver>`
    select t.id as token_id, u.name, u.email, n.full_path
    from access_tokens t
    left join namespaces n on n.id = t.namespace_id
    cross join lateral (
      select o.id, o.name, o.email, o.kind, o.state, o.confirmed_at, o.deleted_at from users o where t.namespace_id is null and o.id = t.user_id
      union all
      (select o.id, o.name, o.email, o.kind, o.state, o.confirmed_at, o.deleted_at from members m join users o on o.id = m.user_id
        where m.namespace_id = t.namespace_id
          and m.access_level >= case n.kind when 'project' then ${levels.maintainer}::integer else ${levels.owner}::integer end
        order by m.access_level desc, o.id limit ${MAX_RECIPIENTS})) u
    where t.id = any(${tokens.map(({ id }) => id)}::bigint[])
      and u.kind = 'human' and u.state = 'active' and u.confirmed_at is not null and u.deleted_at is null`.execute(
    tx.db,
  )
  const byId = new Map(tokens.map((token) => [token.id, token]))
  const mails = rows.flatMap(({ token_id, name, email, full_path }) => {
    const token = byId.get(token_id)
    if (token === undefined) return []
    const whose = full_path === null ? 'Your personal access token' : `The access token of ${full_path}`
    const when = token.days === 1 ? 'tomorrow' : `in ${token.days} days or less`
    const mail = letter({
      subject: `${full_path === null ? 'Your' : `${full_path}:`} access token expires ${when}`,
      lines: [
        `Hello ${name},`,
        `${whose} "${token.name}" expires ${when}, on ${token.expires_at}.`,
        'What uses it stops working then. Rotate the token if it is still needed.',
      ],
      ...(full_path === null && { link: { title: 'Your access tokens', url: `${site}${pages.tokens}` } }),
    })
    const key = `token ${token.id} ends ${token.expires_at} in ${token.days}: ${email}`.slice(0, 255)
    return [{ ...mail, to: { name, address: email }, key }]
  })
  await queueMails(tx, mails)
}
