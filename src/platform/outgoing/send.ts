import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Knows the addresses that were checked. TLS still asks for the certificate of the name. */
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
  /** Whether the certificate must be trusted. */
  readonly verifyTls?: boolean
}

/** Sends one request over a connection of its own. @returns the answer, whose body nobody has read yet */
export async function send(
  url: URL,
  { method = 'GET', headers, body, lookup, signal, verifyTls = true }: SendOptions,
): Promise<IncomingMessage> {
  // Loaded when it is needed, because most starts do not.
  const { request: start } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { 'user-agent': 'Forgelet', 'accept-encoding': 'identity', ...headers },
      // No connection is kept: one to this name may have gone to an address that is checked otherwise now.
      agent: false,
      lookup,
      signal,
      ...(url.protocol === 'https:' && { rejectUnauthorized: verifyTls }),
    })
    request.on('error', reject)
    request.on('response', (message) => {
      // Whoever reads the body hears of its error. Nobody may be reading it.
      message.on('error', () => {})
      resolve(message)
    })
    request.end(body)
  })
}
