import { streamNames } from '#program/backup/header.ts'
import { readHeader, type Header } from '#program/backup/header.ts'
import { BackupDamaged } from '#program/backup/errors.ts'
import { partAsText } from '#program/backup/restore.ts'
import { passphraseOf, readBackup } from '#program/backup/stream.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { progressOn } from './progress.ts'

/** Reads a backup to its end and compares all checksums. */
export async function verifyBackupCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const path = given.argument
  if (path === undefined) throw new UsageError('forgelet backup verify needs a file, or - for standard input')
  const onProgress = progressOn(terminal, 'verified')
  let header: Header | undefined
  let count = 0
  for await (const part of readBackup(path, terminal, passphraseOf(given))) {
    if (count === 0) {
      if (part.name !== streamNames.header)
        throw new BackupDamaged('this is no backup: its beginning is missing')
      header = readHeader(await partAsText(part))
    }
    count += 1
    onProgress(`${count} parts`)
  }
  if (header === undefined) throw new BackupDamaged('this is no backup: it is empty')
  const key = header.secret_key === 'included' ? 'with the secret key' : 'WITHOUT the secret key'
  terminal.out(
    `whole: ${header.tables.length} tables, ${header.files} files and ${header.repositories} repositories as of ` +
      `${header.created_at}, made by version ${header.program}, ${key}\n`,
  )
  return 0
}
