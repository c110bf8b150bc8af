/** Where the routes of this folder are. Clients use the path of the project: see {@link gitUrl}. */
export const GIT = '/-/git/:project'

const REQUEST =
  /\/(info\/refs|git-upload-pack|git-receive-pack|gitlab-lfs\/objects\/[0-9a-f]{64}(?:\/\d{1,16})?|info\/lfs\/objects\/(?:batch|verify)|info\/lfs\/locks(?:\/verify|\/[^/]{1,100}\/unlock)?)\/?$/

/** What begins with this is no path of a project. */
const RESERVED = /^(?:api|-)\//

/**
 * Turns `/group/project.git/info/refs` into the route for it, as a path of several parts is no parameter. Git asks
 * with `.git` at the end or without, and with as many slashes as somebody has typed.
 */
export function gitUrl(url: string): string {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const found = REQUEST.exec(path)
  if (found === null) return url
  const [, request = ''] = found
  const project = withoutSlashes(path.slice(0, found.index))
  if (project === '' || RESERVED.test(`${project}/`)) return url
  const decoded = decode(project.endsWith('.git') ? project.slice(0, -'.git'.length) : project)
  return decoded === undefined
    ? url
    : `/-/git/${encodeURIComponent(decoded)}/${request}${url.slice(path.length)}`
}

/** An expression for this would try each of thousands of slashes anew. */
function withoutSlashes(path: string): string {
  let [start, end] = [0, path.length]
  while (path[start] === '/') start += 1
  while (end > start && path[end - 1] === '/') end -= 1
  return path.slice(start, end)
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, '/')
  } catch {
    return undefined
  }
}
