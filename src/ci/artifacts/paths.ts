/** What comes before the path of a file in an archive. */
const BEFORE = /^\/api\/v4\/projects\/[^/?]+\/jobs\/(?:\d+\/artifacts|artifacts\/[^/?]+\/raw)\/(?=[^?]*\/)/

/** The path of a file in an archive as one segment, as routes want it: clients send its slashes as they are. */
export function artifactUrl(url: string): string {
  const before = BEFORE.exec(url)?.[0]
  if (before === undefined) return url
  const query = url.indexOf('?')
  const end = query < 0 ? url.length : query
  return before + url.slice(before.length, end).replaceAll('/', '%2F') + url.slice(end)
}
