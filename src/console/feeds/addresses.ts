import { isServedPath } from '#identity/namespaces/paths.ts'
import { API } from '#platform/http/routing.ts'
import { MAX_PATH } from '#platform/http/schema.ts'
import { segment } from '../frame/addresses.ts'

/** Where the routes of feeds are. Readers know them by the addresses that {@link feedUrl} turns into these. */
export const FEEDS = '/-/feeds'

/** What projects and groups have feeds of, as their addresses name it. */
const pages: Readonly<Record<'project' | 'group', ReadonlySet<string>>> = {
  project: new Set(['issues', 'merge_requests', 'tags', 'commits', 'releases']),
  group: new Set(['issues', 'merge_requests']),
}
const ofDashboard: ReadonlySet<string> = new Set([
  '/dashboard/issues',
  '/dashboard/merge_requests',
  '/dashboard/projects',
])

const SUFFIX = '.atom'
const FORMAT = /([?&])format=atom(?:&|$)/

/** Makes of the addresses of feeds those of their routes: with the suffix `.atom`, or `format=atom` in the query. Whatever the client accepts. */
export function feedUrl(url: string, method: string): string {
  if ((method !== 'GET' && method !== 'HEAD') || url.length > MAX_PATH || !url.includes('atom')) return url
  const [, whole = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  const hasSuffix = whole.endsWith(SUFFIX)
  if (!hasSuffix && !FORMAT.test(query)) return url
  const path = hasSuffix ? whole.slice(0, -SUFFIX.length) : whole
  const address = addressOf(path, hasSuffix)
  return address === undefined ? url : address + query.replace(FORMAT, '$1').replace(/[?&]$/, '')
}

function addressOf(path: string, hasSuffix: boolean): string | undefined {
  if (ofDashboard.has(path)) return FEEDS + path
  const kind = path.startsWith('/groups/') ? 'group' : 'project'
  const rest = kind === 'group' ? path.slice('/groups'.length) : path
  const [, named = '', page] = /^\/(.+?)(?:\/-\/(.+))?$/s.exec(rest) ?? []
  if (named === '' || isServedPath(named.split('/', 1)[0] ?? '')) return undefined
  if (page === undefined) return `${FEEDS}/${kind === 'group' ? kind : 'named'}/${segment(named)}`
  const [word = '', ...more] = page.split('/')
  if (!pages[kind].has(word)) return undefined
  if (word === 'releases')
    return more.length > 0 ? undefined : `${API}/projects/${segment(named)}/releases.atom`
  const base = `${FEEDS}/${kind}/${segment(named)}/${word}`
  if (word !== 'commits') return more.length > 0 ? undefined : base
  // Behind a branch comes a file, whose name may end so.
  if (more.length === 0 || (hasSuffix && more.length > 1)) return undefined
  return `${base}/${segment(more.join('/'))}`
}
