import { pino } from 'pino'
import { transact } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { endExpired } from '#tenancy/members/end-expired.ts'
import { w } from '#test/world.ts'

/** Runs the job that ends memberships, on a day. */
export async function endExpiredMembers(day: string): Promise<void> {
  w.clock.hold(`${day}T00:05:00Z`)
  const { services } = w.running
  const job: JobContext = {
    ...services,
    log: pino({ level: 'silent' }),
    attempt: 1,
    signal: new AbortController().signal,
    transact: (work, author) => transact(services, { author: author ?? null, ip: null }, work),
  }
  await endExpired.execute({}, job)
}
