import { Type } from 'typebox'
import { readConfig } from '#platform/config/config.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { type DatabaseAddress, openDb, openPool } from '#platform/db/pool.ts'
import { Files } from '#platform/files/files.ts'
import { WorkFolders } from '#platform/work-folders.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { type JobsOptions, startJobs } from '#platform/jobs/start.ts'
import { defineTask, type JobContext, type Log } from '#platform/jobs/task.ts'

// Tasks that write down that they ran, and, as a program, a process that runs them.

/** Kept by the tests in a table: which job ran in which process, and how often it had been tried. */
export async function note(job: JobContext, name: string): Promise<void> {
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
  async ({ name }, job) => {
    await note(job, name)
    if (process.env['TEST_HANG'] === name) await new Promise(() => {})
  },
)

export const tick = defineTask('test/tick', 'short', Type.Object({}), (_, job) => note(job, 'tick'))

/** Writes, under a lease, that it began, and then never ends. */
export const alone = defineTask('test/alone', 'long', Type.Object({ name: Type.String() }), ({ name }, job) =>
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

export function jobsOn(address: DatabaseAddress, log = quiet): Pick<JobsOptions, 'address' | 'services'> {
  const source = { db: openDb(openPool(address, 1)), clock: systemClock, random: systemRandomness, log }
  const config = readConfig({})
  const files = new Files({ ...source, config })
  const workFolders = new WorkFolders(config.data)
  return { address, services: { clock: systemClock, random: systemRandomness, log, files, workFolders } }
}

if (import.meta.main) {
  const address = JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress
  await startJobs({ ...jobsOn(address), ...quick, tasks: [noteRun, tick, alone], schedule: everyMinute })
  process.stdout.write('ready\n')
}
