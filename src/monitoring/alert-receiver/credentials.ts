/** The key that a request brings: as a bearer token, or as the password of HTTP Basic, whatever the username. Undefined for none. */
export function sentKey(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(Bearer|Basic)\s+(\S{1,4096})\s*$/i.exec(authorization ?? '') ?? []
  if (scheme === '') return undefined
  if (scheme.toLowerCase() === 'bearer') return value
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const key = colon < 0 ? '' : text.slice(colon + 1)
  return key === '' ? undefined : key
}
