import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { cleanUpMove } from '#code/repository-storage-moves/clean-up-move.ts'
import { runMove } from '#code/repository-storage-moves/run-move.ts'
import { moveWatchers } from '#code/repository-storage-moves/steps.ts'
import '#app.ts'
import { openServices } from '#services.ts'

// A process that works on one storage move, says when it has done a step, and then stands still until it is killed.

const config = readConfig(process.env)
const address = { connectionString: config.databaseUrl ?? '' }
const log = pino({ level: process.env['TEST_LOG'] ?? 'fatal' }, pino.destination(2))
const services = await openServices({
  config,
  address,
  clock: systemClock,
  random: systemRandomness,
  log,
  site: () => 'http://localhost',
})
moveWatchers.add(async (step) => {
  if (step !== process.env['TEST_STEP']) return
  process.stdout.write(`${step}\n`)
  await new Promise(() => {})
})
const job = jobContext(services, { attempt: 1, signal: new AbortController().signal })
const payload = { move_id: Number(process.env['TEST_MOVE']) }
await runMove.execute(payload, job)
await cleanUpMove.execute(payload, job)
