/** What somebody asks for over SSH. */
export type SshCommand =
  /** No command: a person who tries their key. */
  | { readonly kind: 'greeting' }
  | {
      readonly kind: 'git'
      readonly service: 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'
      /** Of the repository, without `.git`. */
      readonly path: string
    }
  | { readonly kind: 'lfs'; readonly path: string; readonly operation: string }
  | { readonly kind: 'unknown' }

/** The most bytes of a command. Paths of repositories are shorter. */
export const MOST_COMMAND = 8_192

const GIT = /^git[- ](upload-pack|receive-pack|upload-archive)$/

/**
 * Reads the command of a session. Git quotes the path for a shell (`git-upload-pack '/group/project.git'`); there is no shell here,
 * so only that quoting is understood.
 */
export function readCommand(text: string): SshCommand {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'greeting' }
  const words = trimmed.length > MOST_COMMAND ? undefined : wordsOf(trimmed)
  if (words === undefined) return { kind: 'unknown' }
  const [first = '', second = '', third = ''] = words
  if (first === 'git-lfs-authenticate' && words.length <= 3)
    return { kind: 'lfs', path: pathIn(second), operation: third }
  const [name, path, ...more] = first === 'git' ? [`git ${second}`, third, ...words.slice(3)] : words
  const [, command] = GIT.exec(name ?? '') ?? []
  if (command === undefined || path === undefined || more.length > 0) return { kind: 'unknown' }
  const service = `git-${command}`
  return isService(service) ? { kind: 'git', service, path: pathIn(path) } : { kind: 'unknown' }
}

const services = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] as const
const isService = (name: string): name is (typeof services)[number] =>
  services.some((service) => service === name)

/** One piece of a word: in quotes, a character after a backslash, or as it is. */
const PIECE = /'([^']*)'|\\(.)|([^\s'\\"$`;&|<>()*?]+)/y

/** The words of a command. Undefined for what a shell would understand otherwise. */
function wordsOf(text: string): string[] | undefined {
  const words: string[] = []
  let at = 0
  while (at < text.length) {
    let word = ''
    while (at < text.length && !/\s/.test(text[at] ?? '')) {
      PIECE.lastIndex = at
      const [all, quoted, escaped, plain] = PIECE.exec(text) ?? []
      if (all === undefined) return undefined
      word += quoted ?? escaped ?? plain ?? ''
      at = PIECE.lastIndex
    }
    words.push(word)
    while (/\s/.test(text[at] ?? '')) at += 1
  }
  return words
}

/** Clients write `/group/project.git`, `group/project.git`, or either without `.git`. */
function pathIn(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === '/') start += 1
  while (end > start && text[end - 1] === '/') end -= 1
  const path = text.slice(start, end)
  return path.endsWith('.git') ? path.slice(0, -'.git'.length) : path
}
