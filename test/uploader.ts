import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { systemRandomness } from '#platform/context.ts'
import { type DatabaseAddress, openDb, openPool } from '#platform/db/pool.ts'
import { Files } from '#platform/files/files.ts'

// A process that uploads a file and stops in the middle, for tests that kill it. Says when it is there.

const { TEST_DATABASE = '', TEST_PART = '100000', ...environment } = process.env
const own = Object.entries(environment).filter(([name]) => name.startsWith('FORGELET_'))
const db = openDb(openPool(JSON.parse(TEST_DATABASE) as DatabaseAddress, 1))
const log = pino({ level: 'silent' })
const files = new Files({ config: readConfig(Object.fromEntries(own)), db, random: systemRandomness, log })

async function* half() {
  yield Buffer.alloc(Number(TEST_PART), 'x')
  process.stdout.write('half\n')
  // As long as a client that sends nothing more.
  await new Promise((resolve) => setTimeout(resolve, 3_600_000))
}

await files.store(half(), { max: Number.MAX_SAFE_INTEGER })
