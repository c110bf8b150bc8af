import { readConfig } from '#platform/config/config.ts'
import { restore } from '#program/backup/restore.ts'
import { passphraseOf, readBackup } from '#program/backup/stream.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { logOn } from './log-on.ts'
import { progressOn } from './progress.ts'
import { stopSignals } from './signals.ts'

/** Restores a backup. Exit code 1: some repository is not as the database says. */
export async function restoreCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const path = given.argument
  if (path === undefined) throw new UsageError('forgelet restore needs a file, or - for standard input')
  const config = readConfig(terminal.environment)
  const passphrase = passphraseOf(given)
  const signal = stopSignals()
  // What features do when references changed happens here as well.
  await import('#app.ts')
  let faults = 0
  let summary = ''
  await restore({
    config,
    log: logOn('err', terminal, config, 'error'),
    parts: readBackup(path, terminal, passphrase),
    signal,
    onProgress: progressOn(terminal, 'restored'),
    onHeader: ({ created_at, program }) => (summary = `as of ${created_at}, made by version ${program}`),
    onFault: ({ repository, problem, repaired }) => {
      if (!repaired) faults += 1
      terminal.err(`${repository}: ${problem}${repaired ? '; repaired' : ''}\n`)
    },
  })
  terminal.err(`restored ${path === '-' ? 'the backup' : path} ${summary}\n`)
  return faults > 0 ? 1 : 0
}
