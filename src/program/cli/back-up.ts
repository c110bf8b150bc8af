import { backUp } from '#program/backup/back-up.ts'
import { bytesOf, passphraseOf, writeFile, writeOut } from '#program/backup/stream.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { onDatabaseAsItIs } from './on-database.ts'
import { progressOn } from './progress.ts'
import { stopSignals } from './signals.ts'

/** Writes a backup into a file or to standard output. Exit code 1: something could not be in it. */
export async function backUpCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const path = given.argument
  if (path === undefined) throw new UsageError('forgelet backup needs a file, or - for standard output')
  const passphrase = passphraseOf(given)
  const withKey = !given.has('without-key')
  const signal = stopSignals()
  // Repositories are opened with the settings that features name.
  await import('#app.ts')
  return onDatabaseAsItIs(terminal, async (address, config, log) => {
    let missing = 0
    let summary = ''
    const parts = backUp({
      address,
      config,
      log,
      withKey,
      signal,
      onProgress: progressOn(terminal, 'backed up'),
      onMissing: (what) => {
        missing += 1
        terminal.err(`not in the backup: ${what}\n`)
      },
      onHeader: ({ created_at, tables, files, repositories }) => {
        summary = `${tables.length} tables, ${files} files and ${repositories} repositories as of ${created_at}`
      },
    })
    const bytes = bytesOf(parts, passphrase)
    await (path === '-' ? writeOut(process.stdout, bytes) : writeFile(path, bytes))
    const key = withKey
      ? 'with the secret key: keep it as secret as the key'
      : 'WITHOUT the secret key: keep that elsewhere, the backup is of no use without it'
    terminal.err(`${path === '-' ? 'backed up' : path}: ${summary}, ${key}\n`)
    return missing > 0 ? 1 : 0
  })
}
