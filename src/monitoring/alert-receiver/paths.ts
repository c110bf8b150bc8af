/** Where the routes of this folder are. Monitoring tools use the path of the project: see {@link alertUrl}. */
export const RECEIVER = '/-/alert-receiver/:project'

const REQUEST =
  /^\/(?!api\/|-\/)([^?]+?)\/(alerts\/notify(?:\/([^/?]+)\/([0-9a-fA-F]{16}))?|prometheus\/alerts\/notify)(?:\.json)?\/?(\?.*)?$/

/** Turns `/group/project/alerts/notify.json` into the route for it, as a path of several parts is no parameter. */
export function alertUrl(url: string): string {
  // Most requests are for something else.
  if (!url.includes('/alerts/notify')) return url
  const [, path = '', rest = '', , identifier, query = ''] = REQUEST.exec(url) ?? []
  const decoded = decode(path)
  if (rest === '' || decoded === undefined) return url
  const way = identifier?.toLowerCase() ?? (rest.startsWith('prometheus') ? 'prometheus' : 'any')
  return `${RECEIVER.replace(':project', encodeURIComponent(decoded))}/${way}${query}`
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, '/')
  } catch {
    return undefined
  }
}
