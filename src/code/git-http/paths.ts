/** Where the routes of this folder are. Clients use the path of the project: see {@link gitUrl}. */
export const GIT = '/-/git/:project'

const REQUEST =
  /^\/(?!api\/|-\/)([^?]+?)(?:\.git)?\/+(info\/refs|git-upload-pack|git-receive-pack)\/?(\?.*)?$/

/**
 * Turns `/group/project.git/info/refs` into the route for it, as a path of several parts is no parameter. Git asks
 * with `.git` at the end or without.
 */
export function gitUrl(url: string): string {
  const [, path = '', request, query = ''] = REQUEST.exec(url) ?? []
  if (request === undefined) return url
  const decoded = decode(path)
  return decoded === undefined ? url : `/-/git/${encodeURIComponent(decoded)}/${request}${query}`
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, '/')
  } catch {
    return undefined
  }
}
