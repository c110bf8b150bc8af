import { Type } from 'typebox'
import { readConfig } from '#config.ts'
import { systemClock, systemRandomness } from '#context.ts'
import { type DatabaseAddress, openDb, openPool } from '#db/pool.ts'
import { Files } from '#files/files.ts'
import { scheduled } from '#jobs/schedule.ts'
import { type JobsOptions, startJobs } from '#jobs/start.ts'
import { defineTask, type JobContext, type Log } from '#jobs/task.ts'

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
  Type.Object({ name: Type.String() }),
  async ({ name }, job) => {
    await note(job, name)
    if (process.env['TEST_HANG'] === name) await new Promise(() => {})
  },
)

export const tick = defineTask('test/tick', Type.Object({}), (_, job) => note(job, 'tick'))

export const everyMinute = [scheduled('* * * * *', tick, {}, 5 * 60_000)]

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** What makes a worker quick enough for tests. */
export const quick = { pollInterval: 100, heartbeat: 200, deadAfter: 1_500 }

export function jobsOn(pool: JobsOptions['pool'], log = quiet): Pick<JobsOptions, 'pool' | 'context'> {
  const source = { db: openDb(pool), clock: systemClock, random: systemRandomness, log }
  return { pool, context: { ...source, files: new Files({ ...source, config: readConfig({}) }) } }
}

if (import.meta.main) {
  const pool = openPool(JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress, 5)
  await startJobs({ ...jobsOn(pool), ...quick, tasks: [noteRun, tick], schedule: everyMinute })
  process.stdout.write('ready\n')
}
