import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstStart } from '#administration/instance/first-start.ts'
import type { Config } from '#platform/config/config.ts'
import type { Terminal } from './command.ts'
import { formatOn } from './log-on.ts'

/** The file in the data folder for the secrets of the first start, when no person sees the output. */
const FILE = 'first-administrator.txt'

/**
 * Hands over the secrets of the first start, once. A terminal shows them. Any other output may be kept for long and
 * read by many, so then they go into a file which only this account can read. So they do where the log is JSON: a
 * container may have a terminal that nobody sees.
 *
 * @param stream where the command writes for people.
 * @returns the line that says where the file is, to be logged; undefined when there is none.
 */
export function introduce(
  first: FirstStart,
  terminal: Pick<Terminal, 'out' | 'err' | 'isTerminal'>,
  stream: 'out' | 'err',
  config: Pick<Config, 'data' | 'logFormat'>,
): string | undefined {
  const text = introduction(first)
  if (text === '') return undefined
  if (terminal.isTerminal[stream] && formatOn(stream, terminal, config) === 'text') {
    terminal[stream](`\n${text}This is shown once.\n\n`)
    return undefined
  }
  const path = join(config.data, FILE)
  mkdirSync(config.data, { recursive: true, mode: 0o711 })
  rmSync(path, { force: true })
  writeFileSync(path, `${text}Keep these elsewhere, and delete this file.\n`, { mode: 0o600, flag: 'wx' })
  return `the administrator's first secrets are in ${path}: keep them elsewhere, and delete the file`
}

/** Plain text, to be copied. Empty when the operator chose all secrets. */
function introduction({ rootPassword, rootToken, rootTokenEnds }: FirstStart): string {
  const secrets = [
    ...(rootPassword === undefined ? [] : [`  password  ${rootPassword}`]),
    ...(rootToken === undefined ? [] : [`  token     ${rootToken}`]),
  ]
  if (secrets.length === 0) return ''
  const lines = ['The administrator of this new Forgelet:', '', '  user      root', ...secrets, '']
  if (rootTokenEnds !== undefined)
    lines.push(
      `The token works until ${rootTokenEnds}. Make the next one before that; the guide "Users and tokens" says how.`,
    )
  return `${lines.join('\n')}\n`
}
