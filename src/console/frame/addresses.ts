import { MAX_PATH } from '#platform/http/schema.ts'
import { isServedPath } from '#identity/namespaces/paths.ts'

/** Where the routes of the console are. People and programs know them by the addresses that {@link consoleUrl} turns into these. */
export const CONSOLE = '/-/console'
/** Below it are the pages of a project, whose path is one parameter. */
export const PROJECT = `${CONSOLE}/project/:project`
/** Below it are the pages of a group. */
export const GROUP = `${CONSOLE}/group/:group`

/** Pages that name a branch, tag or commit and then a path, or only a path: all of it is one parameter. */
const WITH_PATH = new Set([
  'tree',
  'blob',
  'raw',
  'blame',
  'commits',
  'graphs',
  'compare',
  'wikis',
  'new',
  'edit',
])

/**
 * Makes of the addresses of groups, projects and people, in which paths have slashes, those of the routes of their pages. Only for
 * browsers, except files as they are: programs are told in JSON that there is nothing.
 */
export function consoleUrl(url: string, method: string, accept: string): string {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return url
  // Files are for programs, too.
  const isForBrowsers = !/\/-\/(?:raw\/|snippets\/\d+\/raw(?:\/|$))/.test(url)
  if ((isForBrowsers && !accept.includes('text/html')) || url.length > MAX_PATH) return url
  const [, whole = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  if (whole === '/groups/new') return url
  const { kind, rest } = partsOf(whole)
  const [, path = '', page] = /^(.*?)(?:\/-(?:\/(.*))?)?$/s.exec(rest) ?? []
  const container = path.replace(/^\/|\/$/g, '')
  if (container === '' || isServedPath(container.split('/', 1)[0] ?? '')) return url
  if (page === undefined || page === '') return `${CONSOLE}/${kind ?? 'named'}/${segment(container)}${query}`
  const [word = '', ...more] = page.split('/')
  const below = WITH_PATH.has(word) && more.length > 0 ? withPath(word, more) : page
  return `${CONSOLE}/${kind ?? 'project'}/${segment(container)}/${below}${query}`
}

/** Changing a wiki page has an address below that of the page. */
function withPath(word: string, more: readonly string[]): string {
  const isEdit = word === 'wikis' && more.length > 1 && more.at(-1) === 'edit'
  return isEdit ? `wikis/${segment(more.slice(0, -1).join('/'))}/edit` : `${word}/${segment(more.join('/'))}`
}

/** Groups have a word before their paths, except on their first page. */
function partsOf(path: string): { readonly kind: 'group' | undefined; readonly rest: string } {
  return path.startsWith('/groups/')
    ? { kind: 'group', rest: path.slice('/groups'.length) }
    : { kind: undefined, rest: path }
}

/** A path as one segment, whatever of it is encoded already. */
export function segment(path: string): string {
  return encodeURIComponent(path.split('/').map(decoded).join('/'))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
