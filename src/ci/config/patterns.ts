import { ClientPattern } from '#platform/client-pattern.ts'

const compiled = new Map<string, ClientPattern | undefined>()
const MOST_KEPT = 500

/** The pattern that stands between slashes (`/^v\d+$/i`); undefined if there is none, or it is invalid. */
export function patternOf(text: string): ClientPattern | undefined {
  if (compiled.has(text)) return compiled.get(text)
  if (compiled.size >= MOST_KEPT) compiled.clear()
  const made = compile(text)
  compiled.set(text, made)
  return made
}

function compile(text: string): ClientPattern | undefined {
  const parts = /^\/(?<body>[^]+)\/(?<flags>[ismU]*)$/.exec(text)?.groups
  if (parts === undefined) return undefined
  const { body = '', flags = '' } = parts
  // Ruby's ^ and $ are those of lines.
  const all = [...new Set(`m${flags.replace('m', 's')}`)].join('')
  try {
    return new ClientPattern(`(?${all})${body.replaceAll('\\/', '/')}`)
  } catch {
    return undefined
  }
}

/** A pattern as people write them for branches: whole names may also have `*`. */
export const isPattern = (text: string): boolean => /^\/[^]+\/[ismU]*$/.test(text)
