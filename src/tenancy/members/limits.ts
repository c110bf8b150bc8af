import { type RawBuilder, sql } from 'kysely'
import { roleTitles } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import type { MemberContainer } from './queries.ts'

/** A user's inherited membership: the highest in the groups above. */
export interface InheritedMembership {
  readonly access_level: number
  readonly group: string
}

/** The problem of a level below the inherited one, which would have no effect. */
export function problemOfLevel(level: number, inherited: InheritedMembership | null): string | undefined {
  if (inherited === null || level >= inherited.access_level) return undefined
  const title = roleTitles[inherited.access_level] ?? String(inherited.access_level)
  return `should be greater than or equal to ${title} inherited membership from group ${inherited.group}`
}

/** A membership ends at the beginning of its last day. @throws 400 for today and earlier days */
export function assertFuture(tx: Tx, expiresAt: string | null | undefined): void {
  if (expiresAt && expiresAt <= dayOf(tx.now)) throw invalid({ expires_at: ['cannot be a date in the past'] })
}

/** SQL for the highest membership, in the groups above a container, of the user under the alias. */
export function inheritedBy(user: string, { namespace_id, traversal_ids }: MemberContainer, today: string) {
  const above = traversal_ids.filter((id) => id !== namespace_id)
  return sql<InheritedMembership | null>`(
    select jsonb_build_object('access_level', a.access_level, 'group', g.name)
    from members a join namespaces g on g.id = a.namespace_id and g.kind = 'group'
    where a.user_id = ${sql.ref(`${user}.id`)} and a.namespace_id = any(${above}::bigint[])
      and (a.expires_at is null or a.expires_at > ${today}::date)
    order by a.access_level desc limit 1)`
}

/**
 * SQL for whether each of these groups allows the domain of the user's e-mail address (`allowed_email_domains_list`). A
 * group without a list allows all domains. `user` is an alias of `users`.
 */
export function domainAllowed(user: string, traversalIds: readonly number[]): RawBuilder<boolean> {
  const allowed = sql`regexp_split_to_array(lower(g.settings ->> 'allowed_email_domains_list'), '[,\\s]+')`
  return sql<boolean>`not exists (select 1 from namespaces g
    where g.id = any(${[...traversalIds]}::bigint[]) and g.settings ->> 'allowed_email_domains_list' is not null
      and not lower(substring(${sql.ref(`${user}.email`)} from '[^@]*$')) = any(${allowed}))`
}
