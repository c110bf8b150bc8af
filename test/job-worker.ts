import { Type } from 'typebox'
import { type Log, systemClock, systemRandomness } from '#platform/context.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { type JobsOptions, startJobs } from '#platform/jobs/start.ts'
import { defineTask, type JobContext, type QueueServices } from '#platform/jobs/task.ts'

// Tasks that write down that they ran, and, as a program, a process that runs them.

/** Kept by the tests in a table: which job ran in which process, and how often it had been tried. */
export async function note(job: JobContext<QueueServices>, name: string): Promise<void> {
  await job.transact(async (tx) => {
    const value = JSON.stringify({ name, pid: process.pid, attempt: job.attempt })
    await tx.db
      .insertInto('settings')
      .values({ name: `run ${tx.random.bytes(8).toString('hex')}`, value, updated_at: tx.now })
      .execute()
  })
}

export const noteRun = defineTask(
  'test/note',
  'short',
  Type.Object({ name: Type.String() }),
  async ({ name }, job: JobContext<QueueServices>) => {
    await note(job, name)
    if (process.env['TEST_HANG'] === name) await new Promise(() => {})
  },
)

export const tick = defineTask('test/tick', 'short', Type.Object({}), (_, job: JobContext<QueueServices>) =>
  note(job, 'tick'),
)

/** Writes, under a lease, that it began, and then never ends. */
export const alone = defineTask(
  'test/alone',
  'long',
  Type.Object({ name: Type.String() }),
  ({ name }, job: JobContext<QueueServices>) =>
    withLease(
      job,
      name,
      async () => {
        await note(job, name)
        if (process.env['TEST_HANG'] === name) await new Promise(() => {})
      },
      quick.term,
    ),
)

export const everyMinute = [scheduled('* * * * *', tick, {}, 5 * 60_000)]

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** What makes a worker quick enough for tests. */
export const quick = { pollInterval: 100, heartbeat: 200, deadAfter: 1_500, term: 1_000 }

export function jobsOn(
  address: DatabaseAddress,
  log = quiet,
): Pick<JobsOptions<QueueServices>, 'address' | 'log' | 'services'> {
  const services = { clock: systemClock, random: systemRandomness, log, tracer: undefined }
  return { address, log, services: (db) => ({ ...services, db }) }
}

if (import.meta.main) {
  const address = JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress
  await startJobs({ ...jobsOn(address), ...quick, tasks: [noteRun, tick, alone], schedule: everyMinute })
  process.stdout.write('ready\n')
}
