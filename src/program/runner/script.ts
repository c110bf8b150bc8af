const GREEN = String.raw`\033[32;1m`
const PLAIN = String.raw`\033[0;m`

/** A text as one word of the shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * What bash runs for the commands of a job: it shows each of them, and ends with the first one that fails.
 */
export function scriptOf(commands: readonly string[]): string {
  const lines = commands.flatMap((command) => {
    const [first = '', ...more] = command.split('\n')
    const shown = more.length === 0 ? first : `${first} # and ${more.length} more lines`
    return [`printf '${GREEN}$ %s${PLAIN}\\n' ${quoted(shown)}`, command]
  })
  return ['set -eo pipefail', ...lines, ''].join('\n')
}
