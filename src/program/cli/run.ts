import { packageVersion } from '#platform/package.ts'
import { readArguments } from './arguments.ts'
import type { Terminal } from './command.ts'
import { commands } from './commands.ts'

/**
 * Runs the command line.
 *
 * @returns the exit code: 0 done, 1 refused or failed, 2 for a wrong command line or environment.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const request = readArguments(args, commands)
    if (request.kind === 'run') return await request.command.run(request.given, terminal)
    if (request.kind === 'version') {
      terminal.out(`${packageVersion()}\n`)
    } else {
      const { helpOf, helpOfAll, helpOfGroup } = await import('./help.ts')
      const { about } = request
      if (about === 'all') terminal.out(helpOfAll(commands, packageVersion()))
      else terminal.out('commands' in about ? helpOfGroup(about) : helpOf(about))
    }
    return 0
  } catch (error) {
    const { explain } = await import('./refusals.ts')
    const { code, text } = explain(error)
    terminal.err(`forgelet: ${text}\n`)
    return code
  }
}
