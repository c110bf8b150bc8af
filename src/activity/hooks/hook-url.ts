import { unprocessable } from '#platform/refusals.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'

const PLACEHOLDER = /\{([A-Za-z][\w.-]*)\}/g

type Variables = Readonly<Record<string, string>>

/** The URL of a hook with the values of its variables. */
export const fillUrl = (url: string, variables: Variables): string =>
  url.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
  )

/** Where a delivery goes: user name and password of the URL travel in a header. */
export interface Receiver {
  readonly url: string
  readonly authorization?: string
}

export function receiverOf(filled: string): Receiver {
  const url = new URL(filled)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  if (username === '' && password === '') return { url: url.href }
  const pair = `${decode(username)}:${decode(password)}`
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The scheme, host and port that a URL leads to. Whoever changes them sends what is secret elsewhere. */
export const originOf = (filled: string): string | null =>
  URL.canParse(filled) ? new URL(filled).origin : null

/** @throws 422 for what is no http or https URL once its variables have values, and for variables without one. */
export function checkUrl(url: string, variables: Variables): string {
  const missing = [...url.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .filter((name) => !Object.hasOwn(variables, name))
  if (missing.length > 0) throw unprocessable(`Invalid URL template. Missing keys: ${missing.join(', ')}`)
  const filled = fillUrl(url, variables)
  if (!URL.canParse(filled) || !/^https?:$/.test(new URL(filled).protocol)) throw invalidUrl()
  return filled
}

export const invalidUrl = () => unprocessable('Invalid url given')

/** Milliseconds for a look-up of the host. A slow answer refuses nothing: each delivery is checked again. */
const LOOK_UP = 2_000

/** Refuses a URL that no delivery would be sent to. No transaction is open. @throws 422 */
export async function assertReachable(outgoing: Outgoing, filled: string): Promise<void> {
  try {
    await outgoing.assertAllowed(receiverOf(filled).url, AbortSignal.timeout(LOOK_UP))
  } catch (error) {
    if (error instanceof OutgoingFailed && error.reason === 'refused') {
      throw unprocessable(`Invalid url given: ${error.message}`)
    }
    if (!(error instanceof OutgoingFailed) && !isTimeout(error)) throw error
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
