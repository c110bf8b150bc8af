/** Any that no path can name. */
const HERE = 'http://here.invalid'

/**
 * Where to go after signing in: a path of this instance, whatever was asked for. Browsers read `//host`, backslashes
 * and blanks in their own ways, so that the path is taken apart and put together again.
 */
export function ownPath(asked: string | undefined): string {
  if (asked === undefined || !asked.startsWith('/') || /[\\\p{Cc}]/u.test(asked)) return '/'
  const url = URL.parse(asked, HERE)
  if (url === null || url.origin !== HERE) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.startsWith('//') ? '/' : path
}
