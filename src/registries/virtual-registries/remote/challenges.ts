/** How a registry wants its callers to identify themselves (RFC 9110 §11.6.1). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined }

/** The longest header that is read. */
const LONGEST = 4_096

/** Reads `WWW-Authenticate`. @returns undefined when there is no challenge that this program can answer. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const text = (header ?? '').slice(0, LONGEST)
  const [, scheme = '', rest = ''] = /^\s*(Basic|Bearer)\b\s*(.*)$/is.exec(text) ?? []
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
  if (scheme === '') return undefined
  const parameters = new Map(
    [...rest.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)].map(
      ([, name = '', quoted, plain]) => [
        name.toLowerCase(),
        quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
      ],
    ),
  )
  const realm = parameters.get('realm')
  return realm === undefined || !URL.canParse(realm)
    ? undefined
    : { scheme: 'bearer', realm, service: parameters.get('service') }
}
