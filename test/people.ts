import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import { levels, type MemberLevel } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { DEFAULT_ORGANIZATION } from '#identity/organizations/queries.ts'

export interface NewPerson {
  readonly username: string
  /** The level in the namespace; null for somebody without a membership. */
  readonly level: MemberLevel | null
}

export interface Person {
  readonly id: number
  readonly username: string
  /** The secret of a token of the scope `api`. */
  readonly token: string
}

/**
 * Makes users with a token each and their memberships in a namespace, in one statement: what `createUser`, `createToken`
 * and `addMember` insert (people.test.ts compares), without their checks and events. Most tests need eight people, and
 * this takes a tenth of the time.
 */
export async function insertPeople(
  tx: Tx,
  namespaceId: number,
  people: readonly NewPerson[],
): Promise<Person[]> {
  const secrets = people.map(() => `glpat-${tx.random.bytes(20).toString('base64url')}`)
  const usernames = people.map(({ username }) => username)
  const memberLevels = people.map(({ level }) => level)
  const { rows } = await sql<{ id: number; username: string }>`
    with person as (
      select nextval(pg_get_serial_sequence('users', 'id')) as user_id,
        nextval(pg_get_serial_sequence('namespaces', 'id')) as id, username, level, digest
      from unnest(${usernames}::text[], ${memberLevels}::int[], ${secrets.map(digestOf)}::bytea[])
        as given (username, level, digest)
    ), inserted_users as (
      insert into users (id, username, name, email, kind, profile, preferences, created_by_id, created_at, updated_at,
        confirmed_at)
      select user_id, username, username, username || '@example.com', 'human', '{}', '{}', ${tx.author?.id}::bigint,
        ${tx.now}::timestamptz, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from person
    ), inserted_namespaces as (
      insert into namespaces (id, kind, organization_id, traversal_ids, owner_id, path, full_path, name, full_name,
        visibility, settings, created_at, updated_at)
      select id, 'user', ${DEFAULT_ORGANIZATION}::bigint, array[id], user_id, username, username, username, username,
        'public', '{}', ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from person
    ), inserted_members as (
      insert into members (namespace_id, user_id, access_level, created_by_id, created_at, updated_at)
      select id, user_id, ${levels.owner}, null::bigint, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from person
      union all
      select ${namespaceId}::bigint, user_id, level, ${tx.author?.id}::bigint, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from person where level is not null
    ), inserted_tokens as (
      insert into access_tokens (kind, user_id, name, scopes, digest, created_at)
      select 'personal', user_id, 'test', '{api}', digest, ${tx.now}::timestamptz
      from person
    )
    select user_id as id, username from person`.execute(tx.db)
  const ids = new Map(rows.map(({ id, username }) => [username, id]))
  return people.map(({ username }, i) => {
    const [id, token] = [ids.get(username), secrets[i]]
    if (id === undefined || token === undefined) throw new Error(`${username} was not inserted`)
    return { id, username, token }
  })
}
