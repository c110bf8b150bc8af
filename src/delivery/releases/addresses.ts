import type { LinkRow } from './entity.ts'

/** A tag in a path, as one part of it. */
export const encodeTag = (tag: string): string => encodeURIComponent(tag)

/** The page of a release. @param project the address of the project's pages */
export const releaseAddress = (project: string, tag: string): string =>
  `${project}/-/releases/${encodeTag(tag)}`

/** Where a link leads whatever becomes of its URL; without a path of its own the URL itself. */
export const linkAddress = (project: string, tag: string, { filepath, url }: LinkRow): string =>
  filepath === null
    ? url
    : `${releaseAddress(project, tag)}/downloads${filepath.split('/').map(encodeURIComponent).join('/')}`

const ARCHIVES = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** The archives of a tag. @param path the last part of the project's path */
export function archivesOf(project: string, path: string, tag: string) {
  const file = `${path}-${tag.replaceAll('/', '-')}`
  return ARCHIVES.map((format) => ({
    format,
    url: `${project}/-/archive/${encodeTag(tag)}/${encodeURIComponent(file)}.${format}`,
  }))
}

/** The addresses of a release and of what belongs to it. */
export function addressesOf(project: string, tag: string, mayChange: boolean) {
  const self = releaseAddress(project, tag)
  const list = (kind: string, state: string) =>
    `${project}/-/${kind}?release_tag=${encodeURIComponent(tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(mayChange && { edit_url: `${self}/edit` }),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self,
  }
}

/** The same addresses of the API, in which clients leave the slashes of paths as they are. */
const API =
  /^(\/api\/v4\/projects\/[^/?]+\/releases\/(?:permalink\/latest|[^/?]+\/downloads)\/)([^?]+\/[^?]+)(?=$|\?)/
const PAGE = /^\/((?:[^/?]+\/)+[^/?]+)\/-\/(releases|archive)\/([^?]+)(?=$|\?)/
const FEED = /^\/((?:[^/?]+\/)+[^/?]+)\/-\/releases\.atom(?=$|\?)/
/** Of the name of an archive: `project-v1.0.tar.gz`. */
const FORMAT = /\.(zip|tar\.gz|tar\.bz2|tbz2?|tb2|bz2|tar)$/

/**
 * Turns the addresses of assets, evidence, archives, the latest release and the feed on the pages of a project into those of the
 * API, which know who may read them.
 */
export function releaseUrl(url: string, _method = 'GET', accept = ''): string {
  if (url.length > 8_192) return url
  if (url.startsWith('/api/')) return apiUrl(url)
  if (!url.includes('/-/')) return url
  if (FEED.test(url))
    return url.replace(FEED, (_, project: string) => `/api/v4/projects/${segment(project)}/releases.atom`)
  const found = PAGE.exec(url)
  if (found === null) return url
  const [all, project = '', kind, rest = ''] = found
  // Browsers get the page of the latest release.
  if (rest === 'permalink/latest' && accept.includes('text/html')) return url
  const base = `/api/v4/projects/${segment(project)}`
  const query = url.slice(all.length)
  return (kind === 'archive' ? archiveUrl(base, rest, query) : assetUrl(base, rest, query)) ?? url
}

function apiUrl(url: string): string {
  if (!url.includes('/releases/')) return url
  return url.replace(API, (_, base: string, path: string) => base + segment(path))
}

const segment = (path: string): string => path.replaceAll('/', '%2F')

function assetUrl(base: string, rest: string, query: string): string | undefined {
  const latest = /^permalink\/latest(?:\/(.+))?$/.exec(rest)
  if (latest !== null)
    return `${base}/releases/permalink/latest${latest[1] === undefined ? '' : `/${segment(latest[1])}`}${query}`
  const [, tag = '', kind = '', path = ''] = /^(.+?)\/(downloads|evidences)\/(.+)$/.exec(rest) ?? []
  if (tag === '') return undefined
  const last = kind === 'evidences' ? path.replace(/\.json$/, '') : segment(path)
  return `${base}/releases/${segment(tag)}/${kind}/${last}${query}`
}

function archiveUrl(base: string, rest: string, query: string): string | undefined {
  const [, ref = '', name = ''] = /^(.+)\/([^/]+)$/.exec(rest) ?? []
  const format = FORMAT.exec(name)?.[1]
  if (ref === '' || format === undefined) return undefined
  return `${base}/repository/archive.${format}?sha=${ref}${query.replace('?', '&')}`
}
