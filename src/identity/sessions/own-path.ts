/** A host that no path can name. */
const HERE = 'http://here.invalid'

/**
 * The path to go to after signing in: always one of this instance. Browsers read `//host`, backslashes and blanks in
 * their own ways, so the path is parsed and rebuilt.
 */
export function ownPath(asked: string | undefined): string {
  if (asked === undefined || !asked.startsWith('/') || /[\\\p{Cc}]/u.test(asked)) return '/'
  const url = URL.parse(asked, HERE)
  if (url === null || url.origin !== HERE) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.startsWith('//') ? '/' : path
}
