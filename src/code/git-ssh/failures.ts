import type { FastifyInstance } from 'fastify'
import { transact } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { networkOf } from '#platform/http/addresses.ts'
import type { KnownKey } from './ssh-keys.ts'

type Services = FastifyInstance['services']

/** So many failures of one key in so many seconds are an audit event. */
const OFTEN = { points: 10, seconds: 600 }

/** How often one address may fail to prove a key, before its connections are refused for the rest of so many seconds. */
const OF_ADDRESS = { points: 30, seconds: 60 }
const ADDRESS = 'ssh_failed_authentications'

/** Counts that somebody tried a key that they may not use, or did not prove that it is theirs. */
export async function countFailure(services: Services, key: KnownKey, ip: string): Promise<void> {
  const { times } = await services.limits.count('ssh_key_failures', key.id, OFTEN.seconds)
  if (times !== OFTEN.points) return
  const { id, title, fingerprint: fingerprint_sha256, isDeployKey, user } = key
  const user_id = isDeployKey ? null : (user?.id ?? null)
  await transact(services, { author: null, ip: ip === '' ? null : ip }, async (tx) => {
    record(tx, {
      name: 'SSH key failed often',
      namespace: null,
      target: { type: isDeployKey ? 'DeployKey' : 'Key', id },
      details: { title, fingerprint_sha256, user_id, times },
    })
  })
}

/**
 * Counts a connection that ended without anybody proving a key. All processes count together where they share counters.
 * @returns the seconds in which the address is refused; 0 as long as it is not
 */
export async function countFailedAddress({ limits }: Services, ip: string): Promise<number> {
  if (ip === '') return 0
  const { times, seconds } = await limits.count(ADDRESS, networkOf(ip), OF_ADDRESS.seconds)
  if (times < OF_ADDRESS.points) return 0
  limits.noteRefusal(ADDRESS)
  return seconds
}
