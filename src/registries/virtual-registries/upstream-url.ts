import { comparable } from '#platform/outgoing/allowlist.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import { invalid } from '#platform/refusals.ts'

/** Their credentials end after hours, and need calls of their own. */
const ofClouds: readonly RegExp[] = [
  /(^|\.)dkr\.ecr(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/,
  /\.azurecr\.(io|cn|us)$/,
  /(^|\.)gcr\.io$/,
  /\.pkg\.dev$/,
]

/** Characters of a URL, as it is stored. */
const MAX_URL = 255

const invalidUrl = (text: string) => invalid({ url: [text] })

/**
 * Reads the URL of an upstream into the one form that is stored and compared.
 * @throws 400 for other URLs than http and https, with credentials or a query, and for registries of cloud providers
 */
export function readUpstreamUrl(text: string): string {
  if (!URL.canParse(text)) throw invalidUrl('must be a valid http or https URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidUrl('must be a valid http or https URL')
  if (url.username !== '' || url.password !== '')
    throw invalidUrl('must not hold credentials: use username and password')
  if (url.search !== '' || url.hash !== '') throw invalidUrl('must have no query and no fragment')
  const host = comparable(url.hostname)
  if (ofClouds.some((pattern) => pattern.test(host)))
    throw invalidUrl('Cloud provider registries are unsupported.')
  const stored = url.href.replace(/\/+$/, '')
  // Its one form may be longer than what was sent: other characters than ASCII are encoded.
  if (stored.length > MAX_URL) throw invalidUrl(`is too long (maximum is ${MAX_URL} characters)`)
  return stored
}

/** The longest time that the look-up of a name may take, in milliseconds. */
const LOOK_UP = 5_000

/**
 * Refuses a URL that leads where this server does not send requests. A name that is not known may become known.
 * @throws 400
 */
export async function assertReachable(outgoing: Outgoing, url: string): Promise<void> {
  try {
    await outgoing.assertAllowed(url, AbortSignal.timeout(LOOK_UP))
  } catch (error) {
    if (error instanceof OutgoingFailed && error.reason === 'refused')
      throw invalidUrl(`is blocked: ${error.message}`)
  }
}
