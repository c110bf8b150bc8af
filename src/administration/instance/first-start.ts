import { sql } from 'kysely'
import { hashPassword } from '#platform/access/passwords.ts'
import { locks } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import { transact, type TransactionSource, type Tx } from '#platform/db/transaction.ts'
import { DEFAULT_ORGANIZATION } from '#identity/organizations/queries.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { createToken, type NewToken } from '#identity/tokens/create-token.ts'
import { lastDay, type TokenPolicy } from '#identity/tokens/expiry.ts'
import { createUser } from '#identity/users/create-user.ts'

/** What the first start made, to be shown once; without secrets that the operator chose. */
export interface FirstStart {
  readonly rootPassword: string | undefined
  readonly rootToken: string | undefined
  /** The first day on which that token no longer works. */
  readonly rootTokenEnds: string | undefined
}

export interface FirstStartOptions extends TransactionSource {
  readonly rootPassword: string | undefined
  readonly rootToken: string | undefined
  /** A test that signs in as another user skips it and saves the time of hashing a password. */
  readonly withPassword: boolean
  /** The instance's rules for tokens. */
  readonly policy: TokenPolicy
}

/** Days until the first token expires where the instance sets no limit. */
const LONGEST_LIFE = 365

/**
 * Makes the default organization, the administrator `root` (id 1) with a token, and the system user `ghost`, unless
 * they exist.
 * @returns what to print, once; undefined on every later start.
 */
export async function firstStart(options: FirstStartOptions): Promise<FirstStart | undefined> {
  if (await isSetUp(options.db)) return undefined
  const password = options.rootPassword ?? options.random.bytes(15).toString('base64url')
  const passwordDigest = options.withPassword ? await hashPassword(password) : null
  const { personal_access_token_prefix: prefix } = options.policy
  const secret = options.rootToken ?? `${prefix}${options.random.bytes(20).toString('base64url')}`
  // A secret that the operator chose stays valid. A generated one may be forgotten, so it should not work forever.
  const today = dayOf(options.clock.now())
  const ends = lastDay(options.policy, today) ?? daysAfter(today, LONGEST_LIFE)
  const expiresAt = options.rootToken === undefined ? ends : null
  const made = await transact(options, { author: null, ip: null }, async (tx) => {
    // The lock keeps two nodes that start together from making two root users.
    await sql`select pg_advisory_xact_lock(${locks.firstStart})`.execute(tx.db)
    if (await isSetUp(tx.db)) return false
    await makeInstance(tx, passwordDigest, { secret, prefix, expiresAt })
    return true
  })
  if (!made) return undefined
  return {
    rootPassword: options.rootPassword === undefined && options.withPassword ? password : undefined,
    rootToken: options.rootToken === undefined ? secret : undefined,
    rootTokenEnds: expiresAt ?? undefined,
  }
}

async function isSetUp(db: Db | Tx['db']): Promise<boolean> {
  const found = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', DEFAULT_ORGANIZATION)
    .executeTakeFirst()
  return found !== undefined
}

async function makeInstance(
  tx: Tx,
  passwordDigest: string | null,
  token: Pick<NewToken, 'secret' | 'prefix' | 'expiresAt'>,
): Promise<void> {
  await tx.db
    .insertInto('organizations')
    .values({ id: DEFAULT_ORGANIZATION, name: 'Default', path: 'default' })
    .execute()
  // The sequence must not give the id above to the next organization.
  await sql`select setval(pg_get_serial_sequence('organizations', 'id'), ${DEFAULT_ORGANIZATION})`.execute(
    tx.db,
  )
  const root = await createUser(tx, {
    username: 'root',
    name: 'Administrator',
    email: 'admin@example.com',
    passwordDigest,
    admin: true,
  })
  await createUser(tx, {
    username: 'ghost',
    name: 'Ghost User',
    email: 'ghost@example.com',
    passwordDigest: null,
    kind: 'ghost',
    canCreateGroup: false,
    projectsLimit: 0,
  })
  await createToken(tx, {
    kind: 'personal',
    userId: root.id,
    name: 'First administrator token',
    scopes: ['api', 'sudo', 'admin_mode'],
    ...token,
  })
}
