import { counted } from './counted.ts'
import { shellWord } from '#platform/shell-word.ts'

const GREEN = '\u001b[32;1m'
const PLAIN = '\u001b[0;m'

/**
 * Makes a script for bash of the lines of a step: each is shown before it runs, and the first one that fails ends the
 * script. What a line sets counts for those behind it.
 */
export function scriptOf(lines: readonly string[]): string {
  return [
    // One stream for both, so that the log has them in their order.
    'exec 2>&1',
    'set -eo pipefail',
    ...lines.flatMap((line) => [`printf '%s\\n' ${shellWord(GREEN + shownOf(line) + PLAIN)}`, line]),
    '',
  ].join('\n')
}

/** A line as the log shows it. Of several lines in one, the first stands for all. */
function shownOf(line: string): string {
  const [first = '', ...more] = line.trimEnd().split('\n')
  return more.length === 0 ? `$ ${first}` : `$ ${first} # and ${counted(more.length, 'more line')}`
}
