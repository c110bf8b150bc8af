/** What comes before the name of a package in a path. */
const BEFORE = /^\/api\/v4\/(?:projects\/[^/?]+\/|groups\/[^/?]+\/-\/)?packages\/npm\/(?=[^?]*@)/

/** The scope of a package as a part of its name's segment, as routes want it: clients send the slash between them as it is. */
export function npmUrl(url: string): string {
  const before = BEFORE.exec(url)?.[0]
  if (before === undefined) return url
  const query = url.indexOf('?')
  const end = query < 0 ? url.length : query
  const path = url.slice(before.length, end).replaceAll(/(^|\/)(@[^/%]+)\//g, '$1$2%2F')
  return before + path + url.slice(end)
}
