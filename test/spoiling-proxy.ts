import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Answers a request in place of what is behind the proxy, with that answer at hand.
 * @param times how often it was asked so already, for the same address
 */
export type Spoil = (
  answer: IncomingMessage,
  response: ServerResponse,
  times: number,
  req: IncomingMessage,
) => void

/** Passes an answer on as it is. */
export function passOn(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(response)
}

/** A proxy that spoils the answers to those GETs whose address it is told to look for. @returns its URL */
export async function spoilingProxy(behind: string, address: RegExp, spoil: Spoil): Promise<string> {
  const seen = new Map<string, number>()
  const server = createServer((req, response) => {
    const { url = '/', method, headers } = req
    const sent = request(new URL(url, behind), { method, headers }, (answer) => {
      if (method !== 'GET' || !address.test(url)) return passOn(answer, response)
      const times = seen.get(url) ?? 0
      seen.set(url, times + 1)
      spoil(answer, response, times, req)
    })
    sent.on('error', () => response.destroy())
    req.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
