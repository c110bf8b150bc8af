import type { Terminal } from './command.ts'
import { onDatabase } from './on-database.ts'

/** Brings the schema up to date and prints what was done. */
export async function migrateCommand(terminal: Terminal): Promise<number> {
  const applied = await onDatabase(terminal, async (_address, _config, _log, migrations) => migrations, {
    mayBeEmpty: true,
  })
  terminal.out(applied.length === 0 ? 'nothing to do\n' : `${applied.join('\n')}\n`)
  return 0
}
