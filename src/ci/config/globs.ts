/** Comparisons of paths with patterns that one `changes` or `exists` makes. */
export const MOST_COMPARISONS = 50_000
const MOST_CHARACTERS = 1_000

const made = new Map<string, RegExp>()

/** Whether a path matches a pattern with `*`, `**`, `?`, `[a-z]` and `{a,b}`. */
export function matchesGlob(pattern: string, path: string): boolean {
  let compiled = made.get(pattern)
  if (compiled === undefined) {
    compiled = compile(pattern)
    if (made.size > 1_000) made.clear()
    made.set(pattern, compiled)
  }
  return compiled.test(path)
}

export const hasWildcard = (pattern: string): boolean => /[*?[{]/.test(pattern)

function compile(pattern: string): RegExp {
  if (pattern.length > MOST_CHARACTERS) return /(?!)/
  let braces = 0
  const source = pattern.replaceAll(
    /\*\*\/(?:\*\*\/)*|\*+|\?|\[[!^]?[^\]/]+\]|\{|\}|,|\\.|[^]/gu,
    (part, at: number) => {
      if (part.startsWith('**/') && (at === 0 || pattern[at - 1] === '/')) return '(?:[^/]+/)*'
      if (part.startsWith('*')) {
        return part.endsWith('/') ? '[^/]*/' : '[^/]*'
      }
      if (part === '?') return '[^/]'
      if (part.length > 2 && part.startsWith('[')) {
        return `[${part.slice(1, -1).replace(/^[!^]/, '^').replaceAll('\\', '\\\\').replaceAll('[', '\\[')}]`
      }
      if (part === '{') {
        braces += 1
        return '(?:'
      }
      if (part === '}' && braces > 0) {
        braces -= 1
        return ')'
      }
      if (part === ',' && braces > 0) return '|'
      return part.replace(/^\\(?=.)/s, '').replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    },
  )
  try {
    return new RegExp(`^${source}$`, 's')
  } catch {
    return /(?!)/
  }
}

/** Whether a path matches what `include:local` has: `**` also goes into folders. */
export function matchesInclude(pattern: string, path: string): boolean {
  const source = pattern
    .slice(0, MOST_CHARACTERS)
    .replaceAll(/\*\*+|\*|[\\^$.+?()[\]{}|]/g, (part) =>
      part === '*' ? '[^/]*?' : part.startsWith('**') ? '.*?' : `\\${part}`,
    )
  return new RegExp(`^${source}$`, 's').test(path)
}
