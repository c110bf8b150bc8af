import { systemClock, systemRandomness } from '#platform/context.ts'
import { rotateKeys } from '#platform/key-ring/key-ring.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import type { Terminal } from './command.ts'
import { onDatabase, withSecrets } from './on-database.ts'

/** Gives passwords for other servers a new key. */
export function rotateSecretsCommand(terminal: Terminal): Promise<number> {
  return onDatabase(terminal, async (address, config) => {
    // Which columns hold such passwords is for the features to say.
    await import('#app.ts')
    const rotated = await withSecrets(address, config, async (secrets) => {
      const db = openDb(openPool(address, 2))
      try {
        return await rotateKeys({ db, secrets, clock: systemClock, random: systemRandomness })
      } finally {
        await db.destroy()
      }
    })
    terminal.out(`${rotated} secrets have a new key\n`)
    return 0
  })
}
