import { sql } from 'kysely'
import type { MemberLevel } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict, forbidden, invalid, known, notFound } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { addMember } from './add-member.ts'
import { assertFuture, domainAllowed, inheritedBy, problemOfLevel } from './limits.ts'
import type { MemberContainer } from './queries.ts'

/** Users by id or username. */
export interface Invitees {
  readonly ids: readonly number[]
  readonly usernames: readonly string[]
}

export interface Terms {
  readonly accessLevel: MemberLevel
  readonly expiresAt?: string | null
}

const ONE_PLACE = 'is the bot of an access token, which opens one project or group'

/** Names neither the address nor the domains, because the caller need not know them. */
const OTHER_DOMAIN = 'e-mail address is not in a domain that the group allows'

/**
 * Makes one user a member.
 * @throws 404 `User Not Found`, 409 `Member already exists`, 400 for a bot, an e-mail address in a domain that is not
 * allowed, a level below the inherited one or a day in the past, 403 where a group above locks its projects.
 */
export async function addOneMember(
  tx: Tx,
  container: MemberContainer,
  invited: Invitees,
  terms: Terms,
): Promise<number> {
  assertFuture(tx, terms.expiresAt)
  const [user] = await candidates(tx, container, invited)
  if (user === undefined) throw notFound('User')
  if (user.member) throw conflict(known('member-exists'))
  if (user.kind === 'bot') throw invalid({ user: [ONE_PLACE] })
  if (!user.domain_allowed) throw invalid({ user: [OTHER_DOMAIN] })
  const problem = problemOfLevel(terms.accessLevel, user.inherited)
  if (problem !== undefined) throw invalid({ access_level: [problem] })
  await addMember(tx, { namespaceId: container.namespace_id, userId: user.id, ...terms })
  return user.id
}

/**
 * Adds the users who can be members. The answer says why others cannot, by username (or by id for unknown users).
 * @throws 400 for a day in the past, 403 where a group above locks its projects.
 */
export async function addSeveralMembers(
  tx: Tx,
  container: MemberContainer,
  invited: Invitees,
  terms: Terms,
): Promise<Record<string, string>> {
  assertFuture(tx, terms.expiresAt)
  const found = await candidates(tx, container, invited)
  const problems = new Map<string, string>()
  for (const user of found) {
    const level = problemOfLevel(terms.accessLevel, user.inherited)
    if (user.member) problems.set(user.username, knownTexts['member-exists'])
    else if (user.kind === 'bot') problems.set(user.username, `User ${ONE_PLACE}`)
    else if (!user.domain_allowed) problems.set(user.username, `User's ${OTHER_DOMAIN}`)
    else if (level !== undefined) problems.set(user.username, `Access level ${level}`)
    else await addMember(tx, { namespaceId: container.namespace_id, userId: user.id, ...terms })
  }
  for (const id of invited.ids) {
    if (!found.some((user) => user.id === id)) problems.set(String(id), 'User not found')
  }
  for (const name of invited.usernames) {
    const known = found.some(({ username }) => username.toLowerCase() === name.toLowerCase())
    if (!known) problems.set(name, 'User not found')
  }
  return Object.fromEntries(problems)
}

/** The invited users who exist, with what prevents their membership. One statement. */
async function candidates(tx: Tx, container: MemberContainer, { ids, usernames }: Invitees) {
  const today = dayOf(tx.now)
  const above = container.traversal_ids.filter((id) => id !== container.namespace_id)
  const users = await tx.db
    .selectFrom('users as u')
    .select(['u.id', 'u.username', 'u.kind', inheritedBy('u', container, today).as('inherited')])
    .select(
      sql<boolean>`exists (select 1 from members m
        where m.user_id = u.id and m.namespace_id = ${container.namespace_id}
          and (m.expires_at is null or m.expires_at > ${today}::date))`.as('member'),
    )
    .select(
      sql<boolean>`exists (select 1 from projects p where p.project_namespace_id = ${container.namespace_id})
        and exists (select 1 from namespaces a
          where a.id = any(${above}::bigint[]) and a.settings @> '{"membership_lock": true}')`.as('locked'),
    )
    .select(domainAllowed('u', container.traversal_ids).as('domain_allowed'))
    .where('u.kind', '<>', 'ghost')
    .where('u.deleted_at', 'is', null)
    .where(
      sql<boolean>`(u.id = any(${[...ids]}::bigint[])
        or lower(u.username) = any(${usernames.map((name) => name.toLowerCase())}::text[]))`,
    )
    .orderBy('u.id')
    .execute()
  if (users.some(({ locked }) => locked))
    throw forbidden('a parent group does not allow new members in its projects')
  return users
}
