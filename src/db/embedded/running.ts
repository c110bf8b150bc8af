import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readPidFile, serverProcesses } from './processes.ts'
import { DATABASE, PORT, USER } from './settings.ts'
import type { EmbeddedDatabase } from './types.ts'

/**
 * How to reach the server that another Forgelet runs on a data folder, for commands that work beside it.
 * @returns undefined when none runs there.
 */
export function runningConnection(dataDir: string): EmbeddedDatabase['connection'] | undefined {
  const cluster = join(realpathSync(dataDir), 'postgresql')
  const found = readPidFile(cluster)
  if (found === undefined || !serverProcesses(cluster).includes(found.pid)) return undefined
  return { host: found.socketFolder, port: PORT, user: USER, database: DATABASE }
}
