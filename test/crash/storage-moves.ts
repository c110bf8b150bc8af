import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { Files } from '#platform/files/files.ts'
import { WorkFolders } from '#platform/work-folders.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { openRepositories } from '#code/repositories/open-repositories.ts'
import { cleanUpMove } from '#code/repository-storage-moves/clean-up-move.ts'
import { runMove } from '#code/repository-storage-moves/run-move.ts'
import { moveWatchers } from '#code/repository-storage-moves/steps.ts'
import '#app.ts'

// A process that works on one storage move, says when it has done a step, and then stands still until it is killed.

const config = readConfig(process.env)
const address = { connectionString: config.databaseUrl ?? '' }
const log = pino({ level: process.env['TEST_LOG'] ?? 'fatal' }, pino.destination(2))
const db = openDb(openPool(address, 4))
const source = { db, clock: systemClock, random: systemRandomness }
const settings = await readSettings(db)
const repositories = await openRepositories({ config, address, source, log, settings: () => settings })
moveWatchers.add(async (step) => {
  if (step !== process.env['TEST_STEP']) return
  process.stdout.write(`${step}\n`)
  await new Promise(() => {})
})
const files = new Files({ config, db, random: systemRandomness, log })
const job = jobContext(
  { ...source, log, files, repositories, workFolders: new WorkFolders(config.data) },
  { attempt: 1, signal: new AbortController().signal },
)
const payload = { move_id: Number(process.env['TEST_MOVE']) }
await runMove.execute(payload, job)
await cleanUpMove.execute(payload, job)
