import { systemClock, systemRandomness } from '#platform/context.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { checkRepositories, type Fault } from '#code/repositories/check.ts'
import { openRepositories } from '#code/repositories/open-repositories.ts'
import type { CommandOptions, Terminal } from './command.ts'
import { onDatabase } from './on-database.ts'
import { stopSignals } from './signals.ts'

/** Compares all repositories with the database, and prints what is wrong. Exit code 1: something is left to do. */
export function checkRepositoriesCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const signal = stopSignals()
  const repair = given.has('repair')
  return onDatabase(terminal, async (address, config, log) => {
    // What features do when references changed happens here as well.
    await import('#app.ts')
    const db = openDb(openPool(address, 4))
    try {
      const settings = await readSettings(db)
      const source = { db, clock: systemClock, random: systemRandomness }
      const repositories = await openRepositories({ config, address, source, log, settings: () => settings })
      try {
        const onFault = (fault: Fault) => terminal.out(`${described(fault)}\n`)
        const checked = await checkRepositories(repositories, { repair, onFault, signal })
        const { faults, repaired } = checked
        terminal.out(`checked ${checked.repositories} repositories: ${faults} faults, ${repaired} repaired\n`)
        return faults > repaired ? 1 : 0
      } finally {
        await repositories.close()
      }
    } finally {
      await db.destroy()
    }
  })
}

function described({ repository, owner, problem, repaired }: Fault): string {
  const whose = owner === undefined ? '' : ` (${owner})`
  return `${repository}${whose}: ${problem}${repaired ? '; repaired' : ''}`
}
