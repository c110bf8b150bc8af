/** Where the route of badges is. People use the path of the project: see {@link badgeUrl}. */
export const BADGES = '/-/badges/:project/:ref/:badge'

const BADGE = /^\/([^?]+?)\/(?:-\/)?badges\/([^?]+)\/((?:pipeline|coverage)\.svg)(?=$|\?)/

/** Turns `/group/project/badges/main/pipeline.svg` into the route for it, as a path of several parts is no parameter. */
export function badgeUrl(url: string): string {
  if (!url.includes('/badges/') || url.startsWith('/api/') || url.length > 8_192) return url
  const found = BADGE.exec(url)
  if (found === null) return url
  const [all, project = '', ref = '', badge = ''] = found
  const segment = (part: string) => part.replaceAll('/', '%2F')
  return `/-/badges/${segment(project)}/${segment(ref)}/${badge}${url.slice(all.length)}`
}
