import { invalid } from '#platform/refusals.ts'

/** A repository of another server. */
export interface ImportSource {
  /** Without credentials. */
  readonly url: string
  readonly credentials: Credentials | undefined
}

export interface Credentials {
  readonly user: string
  readonly password: string
}

/** Characters of a user name or a password. */
const MAX_CREDENTIAL = 255

/** What the API calls the parameter says what is wrong with it. */
export const refusedUrl = (because: string) => invalid({ import_url: [because] })

/** Takes a URL such as `https://user:token@example.com/group/project.git` apart. @throws 400 */
export function readSource(text: string): ImportSource {
  if (!URL.canParse(text)) throw refusedUrl('is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refusedUrl('is blocked: Only http and https are allowed')
  }
  if (url.hash !== '' || url.search !== '') throw refusedUrl('must not have a query or a fragment')
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user.length > MAX_CREDENTIAL || password.length > MAX_CREDENTIAL) {
    throw refusedUrl(`has credentials that are too long (maximum is ${MAX_CREDENTIAL} characters each)`)
  }
  url.username = ''
  url.password = ''
  const credentials = user === '' && password === '' ? undefined : { user, password }
  return { url: url.href, credentials }
}

function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part)
    // oxlint-disable-next-line no-control-regex
    if (!/[\0-\x1f\x7f]/.test(text)) return text
  } catch {
    // Not an encoding of anything.
  }
  throw refusedUrl('has credentials that cannot be read')
}
