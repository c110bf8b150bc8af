import { sql } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, levelOf } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'

/** Somebody who wrote commits. */
export interface ChangelogAuthor {
  readonly username: string
  /** Whether they have no role in the project. */
  readonly contributor: boolean
  /** Whether they are named: for that, or because they are in one of the groups of the configuration. */
  readonly credit: boolean
}

interface Asked {
  readonly viewer: SqlViewer
  readonly namespaceId: number
  readonly addresses: readonly string[]
  /** Paths of groups; those that the viewer may not see do not count. */
  readonly groups: readonly string[]
}

/** The people behind the addresses of commits, by the address in small letters. One statement. */
export async function findAuthors(
  db: Db,
  { viewer, namespaceId, addresses, groups }: Asked,
): Promise<ReadonlyMap<string, ChangelogAuthor>> {
  const all = [...new Set(addresses.map((one) => one.toLowerCase()))]
  if (all.length === 0) return new Map()
  const paths = groups.map((one) => one.toLowerCase())
  const { rows } = await sql<{ address: string; username: string; member: boolean; grouped: boolean }>`
    select a.address, u.username,
        ${levelOf('n', sql<number>`u.id`, viewer.today)} > 0 as member,
        exists (select 1 from namespaces g where g.kind = 'group' and lower(g.full_path) = any(${paths}::text[])
          and ${groupVisibleTo('g', viewer)} and ${levelOf('g', sql<number>`u.id`, viewer.today)} > 0) as grouped
      from (
        select lower(email) as address, id from users
          where lower(email) = any(${all}::text[]) and confirmed_at is not null
        union
        select lower(email), user_id from emails where lower(email) = any(${all}::text[]) and confirmed_at is not null
      ) a
      join users u on u.id = a.id and u.deleted_at is null
      join namespaces n on n.id = ${namespaceId}`.execute(db)
  return new Map(
    rows.map(({ address, username, member, grouped }) => [
      address,
      { username, contributor: !member, credit: !member || grouped },
    ]),
  )
}
