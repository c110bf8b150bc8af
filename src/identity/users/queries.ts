import { type Selectable, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Users } from '#platform/db/schema.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { aboveGuestUntil } from './billable-users.ts'
import type { ListOrder, Sort } from '#platform/http/order.ts'
import { hasIdentity, type Identity, identitiesJson } from './identities.ts'
import { userBasicColumns, userBasicJson, type UserBasicRow } from './basic.ts'

const both: readonly Sort[] = ['desc', 'asc']

/** Orders by name and the like have an index that includes the id: every page costs the same. */
export const userOrder: ListOrder = {
  of: 'User',
  id: 'u.id',
  columns: {
    id: { column: 'u.id' },
    name: { column: 'u.name' },
    username: { column: 'u.username' },
    created_at: { column: 'u.created_at' },
    updated_at: { column: 'u.updated_at' },
  },
  by: 'id',
  sort: 'desc',
  keyset: {
    orders: { id: both, name: both, username: both, created_at: both, updated_at: both },
    availability: 'both',
  },
}

/** All accounts, `u`, except those being deleted. */
export function users(db: Db | Tx['db']) {
  return db.selectFrom('users as u').where('u.deleted_at', 'is', null)
}

type UserQuery = ReturnType<typeof users>

/** An account with every column that any answer shows. */
export type UserRow = Omit<Selectable<Users>, 'password_digest' | 'deleted_at'> & {
  /** Null for the bots of access tokens, which have none. */
  namespace_id: number | null
  can_create_project: boolean
  created_by: UserBasicRow | null
  above_guest_until: string | null
  identities: Identity[]
}

/**
 * Selects the columns of a {@link UserRow}. It uses sub-selects, so that totals, which drop the columns, need no joins.
 */
export function accounts(query: UserQuery) {
  const namespace = sql<number | null>`(select n.id from namespaces n where n.owner_id = u.id)`
  return query
    .select([
      'u.id',
      'u.username',
      'u.name',
      'u.email',
      'u.unconfirmed_email',
      'u.kind',
      'u.state',
      'u.admin',
      'u.external',
      'u.private_profile',
      'u.can_create_group',
      'u.projects_limit',
      'u.public_email',
      'u.commit_email',
      'u.note',
      'u.profile',
      'u.preferences',
      'u.status',
      'u.created_by_id',
      'u.created_at',
      'u.updated_at',
      'u.confirmed_at',
      'u.last_sign_in_at',
      'u.current_sign_in_at',
      'u.sign_in_count',
      'u.last_activity_on',
      'u.avatar',
    ])
    .select([
      namespace.as('namespace_id'),
      sql<boolean>`u.projects_limit > (select count(*) from namespaces p
        where p.parent_id = ${namespace} and p.deleted_at is null)`.as('can_create_project'),
      aboveGuestUntil.as('above_guest_until'),
      identitiesJson.as('identities'),
      sql<UserBasicRow | null>`(select ${userBasicJson('c')} from users c where c.id = u.created_by_id)`.as(
        'created_by',
      ),
    ])
}

/** Selects the columns of a {@link UserBasicRow}. */
export function basics(query: UserQuery) {
  return query.select(userBasicColumns.map((name) => `u.${name}` as const))
}

const accountOf = statement({
  name: 'account',
  build: (db, param: Params<{ id: number }>) => accounts(users(db)).where('u.id', '=', param('id')),
})

/**
 * Finds an account by id.
 * @throws 404 `User Not Found`
 */
export async function findUser(db: Db | Tx['db'], id: number): Promise<UserRow> {
  const [user] = await accountOf(db, { id })
  if (user === undefined) throw notFound('User')
  return user
}

/** Finds an account by id or username, ignoring case. */
export async function findUserBy(db: Db | Tx['db'], idOrUsername: string): Promise<UserRow> {
  if (/^\d{1,15}$/.test(idOrUsername)) return findUser(db, Number(idOrUsername))
  return accounts(users(db))
    .where(hasUsername(idOrUsername))
    .executeTakeFirstOrThrow(() => notFound('User'))
}

/** Finds the user whose public address this is. */
export async function findUserByPublicEmail(db: Db, address: string): Promise<UserBasicRow | null> {
  const found = basics(users(db)).where(hasAddress('u.public_email', address)).where('u.state', '=', 'active')
  // Sorted here: to find the first in the order of ids, PostgreSQL may read everybody.
  const [first] = (await found.execute()).toSorted((one, other) => one.id - other.id)
  return first ?? null
}

/**
 * Finds an account and locks it until the transaction ends: what a change reads stays true until it is written.
 * @throws 404 `User Not Found`
 */
export async function lockUser(tx: Tx, id: number): Promise<UserRow> {
  await tx.db.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute()
  return findUser(tx.db, id)
}

const hasUsername = (username: string) => sql<boolean>`lower(u.username) = ${username.toLowerCase()}`

const hasAddress = (column: string, address: string) =>
  sql<boolean>`lower(${sql.ref(column)}) = ${address.toLowerCase()}`

export interface UserFilter {
  readonly search?: string
  readonly username?: string
  readonly public_email?: string
  readonly active?: boolean
  readonly blocked?: boolean
  readonly humans?: boolean
  readonly external?: boolean
  readonly exclude_active?: boolean
  readonly exclude_external?: boolean
  readonly exclude_humans?: boolean
  readonly exclude_internal?: boolean
  readonly without_project_bots?: boolean
  readonly saml_provider_id?: number
  readonly created_after?: string
  readonly created_before?: string
  readonly extern_uid?: string
  readonly provider?: string
  readonly two_factor?: 'enabled' | 'disabled'
  readonly admins?: boolean
  readonly auditors?: boolean
  readonly without_projects?: boolean
  readonly custom_attributes?: Readonly<Record<string, string>>
}

const none = sql<boolean>`false`

/**
 * Narrows a list. Each flag narrows when true and does nothing when false. Only administrators see blocked and banned
 * users; for others, filters on what only administrators know do nothing.
 */
export function filterUsers(query: UserQuery, filter: UserFilter, viewer: Viewer): UserQuery {
  const { search, username, public_email } = filter
  const everybody = query
    .$if(username !== undefined, (q) => q.where(hasUsername(username ?? '')))
    .$if(search !== undefined, (q) => q.where(matching(search ?? '', viewer)))
    .$if(public_email !== undefined, (q) => q.where(hasAddress('u.public_email', public_email ?? '')))
    .$if(filter.active === true, (q) => q.where('u.state', '=', 'active').where('u.kind', '<>', 'ghost'))
    .$if(filter.blocked === true, (q) => q.where('u.state', '=', 'blocked'))
    .$if(filter.humans === true, (q) => q.where('u.kind', '=', 'human'))
    .$if(filter.external === true, (q) => q.where('u.external', '=', true))
    .$if(filter.exclude_active === true, (q) => q.where('u.state', '<>', 'active'))
    .$if(filter.exclude_external === true, (q) => q.where('u.external', '=', false))
    .$if(filter.exclude_humans === true, (q) => q.where('u.kind', '<>', 'human'))
    .$if(filter.exclude_internal === true, (q) => q.where('u.kind', '<>', 'ghost'))
    .$if(filter.without_project_bots === true, (q) => q.where('u.kind', '<>', 'bot'))
    // No user has an identity of a SAML provider yet.
    .$if(filter.saml_provider_id !== undefined, (q) => q.where(none))
  return viewer.admin
    ? filterAsAdministrator(everybody, filter)
    : everybody.where('u.state', 'not in', ['blocked', 'banned'])
}

function filterAsAdministrator(query: UserQuery, filter: UserFilter): UserQuery {
  const { created_after, created_before, provider, extern_uid, custom_attributes = {} } = filter
  return (
    query
      .$if(created_after !== undefined, (q) => q.where('u.created_at', '>=', created_after ?? ''))
      .$if(created_before !== undefined, (q) => q.where('u.created_at', '<=', created_before ?? ''))
      .$if(filter.admins === true, (q) => q.where('u.admin', '=', true))
      .$if(filter.without_projects === true, (q) =>
        q.where(sql<boolean>`not exists (
        select 1 from members m join namespaces p on p.traversal_ids @> array[m.namespace_id]
        where m.user_id = u.id and p.kind = 'project' and p.deleted_at is null)`),
      )
      .$if(provider !== undefined && extern_uid !== undefined, (q) =>
        q.where(hasIdentity({ provider: provider ?? '', extern_uid: extern_uid ?? '' })),
      )
      // No user has two-factor authentication, the auditor role or custom attributes yet.
      .$if(filter.two_factor === 'enabled', (q) => q.where(none))
      .$if(filter.auditors === true, (q) => q.where(none))
      .$if(Object.keys(custom_attributes).length > 0, (q) => q.where(none))
  )
}

/** Matches part of a name, or a whole e-mail address: a public one, for administrators also the private one. */
function matching(term: string, viewer: Viewer) {
  const addresses = viewer.admin ? ['u.email', 'u.public_email'] : ['u.public_email']
  const exact = addresses.map((column) => hasAddress(column, term))
  return sql<boolean>`(${contains(['u.name', 'u.username'], term)} or ${sql.join(exact, sql` or `)})`
}
