// A Forgelet reduced to its database, to be killed by the tests: node owner.ts DATA_FOLDER [ephemeral] [write]
// It prints `ready SOCKET_FOLDER POSTMASTER_PID PASSWORD`, then with `write` one line for each acknowledged row.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Client } from 'pg'
import { startEmbedded } from '#platform/db/embedded/index.ts'

const [dataDir = '', ...flags] = process.argv.slice(2)
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const database = await startEmbedded({ dataDir, ephemeral: flags.includes('ephemeral'), log: quiet })
// Whoever is killed has no time for it later.
flushCompileCache()
process.once('SIGTERM', () => void database.stop())
const { host, password } = database.connection
writeSync(1, `ready ${host} ${database.pid()} ${password}\n`)

if (flags.includes('write')) await Promise.all([1, 2, 3].map(writeRows))

async function writeRows(): Promise<void> {
  const client = new Client(database.connection)
  client.on('error', () => {})
  try {
    await client.connect()
    for (;;) {
      const { rows } = await client.query<{ id: string }>('INSERT INTO written DEFAULT VALUES RETURNING id')
      writeSync(1, `${rows[0]?.id}\n`)
    }
  } catch {
    // The server is being killed; so are we.
  }
}
