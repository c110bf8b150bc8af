import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { networkOf } from '#platform/http/addresses.ts'
import type { Limits } from '#platform/http/limits.ts'

const MINUTE = 60

/** Of one address, whoever it tries. */
const perAddress = { points: 20, seconds: MINUTE }
/** Of one address for one account. */
const perPair = { points: 10, seconds: 10 * MINUTE }
/** For one account, of all addresses together that nobody has signed in from with it. */
const perAccount = { points: 50, seconds: 60 * MINUTE }

/** Past these nobody looks further back. */
const KNOWN_ADDRESSES = 1_000

export interface Attempt {
  /** Username or e-mail address, as typed. */
  readonly login: string
  readonly ip: string
}

/**
 * Counts an attempt to sign in, before anything expensive is done. Many addresses together cannot guess for long,
 * and cannot lock anybody out either: where somebody has signed in before, the count of the others does not matter.
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
    // As the index has it; a parameter could not be compared with that.
    .where(sql<boolean>`f.name = 'session started'`)
    .where(sql<boolean>`(lower(u.username) = ${login} or lower(u.email) = ${login})`)
    .where('f.ip', 'is not', null)
    .limit(KNOWN_ADDRESSES)
    .execute()
  return known.some(({ ip }) => ip !== null && networkOf(ip) === network)
}
