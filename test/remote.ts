import { request } from 'node:http'
import { type Answer, Client, type Sending } from './client.ts'

/** The address of the proxy that the servers under test believe. */
const PROXY = '127.0.0.9'

/** The same sender at another address, for whom a trusted proxy speaks. */
export class Remote extends Client {
  readonly #ip: string

  constructor({ base, headers }: Client, ip: string) {
    super(base, headers)
    this.#ip = ip
  }

  override send(method: string, path: string, { json, headers }: Sending = {}): Promise<Answer> {
    const body = json === undefined ? undefined : JSON.stringify(json)
    const all = {
      ...this.headers,
      'x-forwarded-for': this.#ip,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    return new Promise((resolve, reject) => {
      const options = { method, headers: all, localAddress: PROXY }
      request(`${this.base}/api/v4${path}`, options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => {
          const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ])
          const isJson = answer.headers['content-type'] === 'application/json' && text !== ''
          resolve({
            status: answer.statusCode ?? 0,
            headers: new Headers(given),
            text,
            body: isJson ? JSON.parse(text) : undefined,
          })
        })
      })
        .on('error', reject)
        .end(body)
    })
  }
}
