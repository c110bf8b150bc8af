import { systemRandomness } from '#platform/context.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { adoptFiles } from '#platform/files/adopt-files.ts'
import { Files } from '#platform/files/files.ts'
import { type MoveProgress, type MoveResult, moveFiles } from '#platform/files/move-files.ts'
import type { Terminal } from './command.ts'
import { onDatabase } from './on-database.ts'
import { stopSignals } from './signals.ts'

/** Milliseconds between two lines about the progress. */
const PACE = 2_000

/** Moves all files to the store that the configuration names, and prints its progress. */
export function moveFilesCommand(terminal: Terminal): Promise<number> {
  const signal = stopSignals()
  return onDatabase(terminal, async (address, config, log) => {
    const db = openDb(openPool(address, 4))
    const files = new Files({ config, db, random: systemRandomness, log })
    try {
      await adoptFiles({ config, db, log })
      const onProgress = every(PACE, (progress: MoveProgress) => terminal.err(`${described(progress)}\n`))
      const result = await moveFiles({ files, db, random: systemRandomness, onProgress, signal })
      return report(terminal, result, files.stores.current, signal.aborted)
    } finally {
      await db.destroy()
    }
  })
}

function report(terminal: Terminal, result: MoveResult, storage: string, stopped: boolean): number {
  for (const { file, reason } of result.failed) {
    terminal.err(`not moved: file ${file.id} (${file.storage}, ${file.key}): ${reason}\n`)
  }
  const end = stopped ? '; stopped, run it again to go on' : ''
  terminal.out(`${described(result)} to ${storage}, ${result.failed.length} failed${end}\n`)
  return result.failed.length > 0 || stopped ? 1 : 0
}

function described({ moved, all }: MoveProgress): string {
  const part = all.bytes === 0 ? 100 : Math.floor((moved.bytes / all.bytes) * 100)
  return `moved ${moved.files} of ${all.files} files (${megabytes(moved.bytes)} of ${megabytes(all.bytes)}, ${part} %)`
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** Limits calls to one per interval. */
function every<T>(milliseconds: number, tell: (value: T) => void): (value: T) => void {
  let last = performance.now()
  return (value) => {
    if (performance.now() - last < milliseconds) return
    last = performance.now()
    tell(value)
  }
}
