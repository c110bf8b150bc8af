import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { MasterKeySource } from '../master-key.ts'
import { passwordOf } from './access.ts'
import { readPidFile, serverProcesses } from './processes.ts'
import { DATABASE, PORT, USER } from './settings.ts'
import type { EmbeddedDatabase } from './types.ts'

/**
 * How to reach the server that another Forgelet runs on a data folder, for commands that work beside it.
 * @returns undefined when no server runs there.
 * @throws {WrongMasterKey} when no key is known.
 */
export async function runningConnection(
  key: MasterKeySource,
): Promise<EmbeddedDatabase['connection'] | undefined> {
  const cluster = join(realpathSync(key.dataDir), 'postgresql')
  const found = readPidFile(cluster)
  if (found === undefined || !serverProcesses(cluster).includes(found.pid)) return undefined
  const password = await passwordOf(key)
  return { host: found.socketFolder, port: PORT, user: USER, password, database: DATABASE }
}
