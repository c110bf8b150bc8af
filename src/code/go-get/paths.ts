import { isServedPath } from '#identity/namespaces/paths.ts'

/** Where the route of this folder is. Go asks for the path of a package: see {@link goGetUrl}. */
export const GO_GET = '/-/go-get/:path'

const ASKS = /[?&]go-get=1(?:&|$)/

/** Turns `/group/project/package?go-get=1` into the route for it, as a path of several parts is no parameter. */
export function goGetUrl(url: string, method: string): string {
  // Most requests are for something else.
  if (method !== 'GET' || !ASKS.test(url)) return url
  const question = url.indexOf('?')
  const parts = partsIn(url.slice(0, question))
  if (parts === undefined || parts.length < 2 || isServedPath(parts[0] ?? '')) return url
  return `${GO_GET.replace(':path', encodeURIComponent(parts.join('/')))}${url.slice(question)}`
}

function partsIn(path: string): string[] | undefined {
  try {
    return decodeURIComponent(path)
      .split('/')
      .filter((part) => part !== '')
  } catch {
    return undefined
  }
}
