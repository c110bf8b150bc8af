import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { networkOf } from '#platform/http/addresses.ts'
import type { Limits } from '#platform/http/limits.ts'

const MINUTE = 60

/** Per address, for any accounts. */
const perAddress = { points: 20, seconds: MINUTE }
/** Per address and account. */
const perPair = { points: 10, seconds: 10 * MINUTE }
/** Per account, over all addresses from which nobody has signed in to it. */
const perAccount = { points: 50, seconds: 60 * MINUTE }

/** How many addresses to look at. */
const KNOWN_ADDRESSES = 1_000

export interface Attempt {
  /** Username or e-mail address, as typed. */
  readonly login: string
  readonly ip: string
}

/**
 * Counts an attempt to sign in before anything expensive happens. An attack from many addresses can neither guess for
 * long nor lock anybody out: for addresses from which the user has signed in before, the other addresses' count does
 * not matter.
 * @throws 429
 */
export async function limitSignIns(
  { limits, db }: { readonly limits: Limits; readonly db: Db },
  { login, ip }: Attempt,
): Promise<void> {
  const network = networkOf(ip)
  const name = login.toLowerCase()
  await limits.take('sign-ins of an address', network, perAddress)
  await limits.take('sign-ins of an address for an account', `${network} ${name}`, perPair)
  try {
    await limits.take('sign-ins for an account', name, perAccount)
  } catch (tooMany) {
    if (!(await hasSignedInFrom(db, name, network))) throw tooMany
  }
}

async function hasSignedInFrom(db: Db, login: string, network: string): Promise<boolean> {
  const known = await db
    .selectFrom('facts as f')
    .innerJoin('users as u', 'u.id', 'f.target_id')
    .select('f.ip')
    .distinct()
    // Written as in the index, which a parameter would not match.
    .where(sql<boolean>`f.name = 'session started'`)
    .where(sql<boolean>`(lower(u.username) = ${login} or lower(u.email) = ${login})`)
    .where('f.ip', 'is not', null)
    .limit(KNOWN_ADDRESSES)
    .execute()
  return known.some(({ ip }) => ip !== null && networkOf(ip) === network)
}
