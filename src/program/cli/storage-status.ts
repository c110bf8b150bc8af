import { openDb, openPool } from '#platform/db/pool.ts'
import { systemRandomness } from '#platform/context.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { Storages } from '#code/repositories/storages.ts'
import {
  countUnfinished,
  movesUnderWay,
  type MoveUnderWay,
  useOfStorages,
} from '#code/repository-storage-moves/status.ts'
import type { Terminal } from './command.ts'
import { onDatabase } from './on-database.ts'

/** Prints the storages of repositories, and the moves between them. Exit code 1: a storage cannot be used. */
export function storageStatusCommand(terminal: Terminal): Promise<number> {
  return onDatabase(terminal, async (address, config, log) => {
    await import('#app.ts')
    const db = openDb(openPool(address, 2))
    try {
      const storages = new Storages({ config, db, random: systemRandomness, log })
      await storages.check()
      const { repository_storages_weighted: weights } = await readSettings(db)
      const use = new Map((await useOfStorages(db)).map((one) => [one.storage, one]))
      const states = await storages.states()
      for (const { name, path, problem } of states) {
        const { repositories = 0, bytes = 0 } = use.get(name) ?? {}
        const state = problem === undefined ? 'usable' : `not usable: ${problem}`
        const holds = `${repositories} repositories, ${megabytes(bytes)}, weight ${weights[name] ?? 0}`
        terminal.out(`${name} at ${path}: ${holds}; ${state}\n`)
        use.delete(name)
      }
      for (const { storage, repositories } of use.values()) {
        terminal.out(`${storage}: ${repositories} repositories; FORGELET_STORAGES does not name it\n`)
      }
      for (const { state, count } of await countUnfinished(db)) terminal.out(`moves ${state}: ${count}\n`)
      for (const move of await movesUnderWay(db)) terminal.out(`${described(move)}\n`)
      return use.size > 0 || states.some(({ problem }) => problem !== undefined) ? 1 : 0
    } finally {
      await db.destroy()
    }
  })
}

function described({ id, owner, state, source, destination, total, copied, error }: MoveUnderWay): string {
  const part = total === 0 ? 0 : Math.floor((copied / total) * 100)
  const progress = state === 'started' ? `, ${megabytes(copied)} of ${megabytes(total)} (${part} %)` : ''
  return `move ${id} of ${owner} from ${source} to ${destination}: ${state}${progress}${error === null ? '' : `: ${error}`}`
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`
