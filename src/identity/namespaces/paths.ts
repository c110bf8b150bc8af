import { invalid } from '#platform/refusals.ts'

/** First segments that the server's own URLs use. */
const RESERVED = new Set(
  (
    '- .well-known 404.html 422.html 500.html admin api apple-touch-icon.png assets dashboard explore ' +
    'favicon.ico favicon.png files groups health_check help import jwt login oauth org organizations profile ' +
    'projects public robots.txt s search sitemap sitemap.xml snippets unsubscribes uploads users v2 virtual_registries'
  ).split(' '),
)

/** Whether paths that begin with this segment are the server's own. */
export const isServedPath = (first: string): boolean => RESERVED.has(first.toLowerCase())

/** Segments that name the parts of a project. */
const RESERVED_PROJECTS = new Set(
  '- badges blame blob builds commits create create_dir edit files find_file gitlab-lfs info lfs new preview raw refs tree update wikis'.split(
    ' ',
  ),
)

const FORM = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/

/** The problems of a path for a group, project or user; empty when there are none. */
export function problemsOfPath(
  path: string,
  kind: 'user' | 'group' | 'project',
  topLevel: boolean,
): string[] {
  const problems: string[] = []
  if (path.length > 255) problems.push('is too long (maximum is 255 characters)')
  if (!FORM.test(path) || /\.(git|atom)$|\.$/i.test(path)) {
    problems.push(
      "can contain only letters, digits, '_', '-' and '.', cannot start with '-' and cannot end in '.', '.git' or '.atom'",
    )
  }
  // Git finds the wiki of a project or group at its path with this suffix.
  if (kind !== 'user' && /\.wiki$/i.test(path)) problems.push("cannot end in '.wiki'")
  // URLs accept ids and paths in the same position.
  if (kind !== 'user' && /^\d+$/.test(path)) problems.push('cannot consist of digits alone')
  const reserved = kind === 'project' ? RESERVED_PROJECTS : RESERVED
  if ((topLevel || kind === 'project') && reserved.has(path.toLowerCase()))
    problems.push('is a reserved name')
  return problems
}

/** @throws 400 under the name that the caller uses for the path attribute. */
export function assertPath(
  path: string,
  kind: 'user' | 'group' | 'project',
  topLevel: boolean,
  attribute = 'path',
) {
  const problems = problemsOfPath(path, kind, topLevel)
  if (problems.length > 0) throw invalid({ [attribute]: problems })
}

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Component}_.() -]*$/u

/**
 * Pages, messages and mails show names unchanged, so some characters are refused.
 * @throws 400 for a name that a group cannot have.
 */
export function assertName(name: string): void {
  if (NAME.test(name)) return
  throw invalid({
    name: [
      "can contain only letters, digits, emojis, '_', '.', '-', parentheses and spaces, " +
        "and starts with a letter, a digit, an emoji or '_'",
    ],
  })
}
