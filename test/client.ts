import { Agent, type IncomingMessage, request } from 'node:http'

/** An answer of the server, read whole. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; tests say by their expectations what it should be. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Sending {
  /** JSON body. */
  readonly json?: unknown
  /** Form body, sent as such. */
  readonly form?: URLSearchParams | FormData | string
  readonly headers?: Readonly<Record<string, string>>
}

interface Body {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const typed = (bytes: Buffer, type: string): Body => ({
  bytes,
  headers: { 'content-type': type, 'content-length': String(bytes.length) },
})

function jsonBody(json: unknown): Body | undefined {
  return json === undefined ? undefined : typed(Buffer.from(JSON.stringify(json)), 'application/json')
}

/** A form as `fetch` sends it. */
async function encoded(form: NonNullable<Sending['form']>): Promise<Body> {
  const made = new Response(form)
  return typed(Buffer.from(await made.arrayBuffer()), made.headers.get('content-type') ?? '')
}

/** Keeps connections, as clients do, but not as long as servers do: one that a server closes may just be used again. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 })

/**
 * Sends a request. Most of what tests do is this, and `fetch` takes more than twice as long for it; it also asks for compressed
 * answers.
 */
function exchange(
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Body | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new TypeError('the request failed', { cause }))
    const asked = request(url, { method, headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', fail).on('end', () => {
        try {
          resolve(answerOf(answer, Buffer.concat(chunks)))
        } catch (error) {
          reject(error)
        }
      })
    })
    asked.on('error', fail).end(body?.bytes)
  })
}

function answerOf({ statusCode = 0, rawHeaders, headers }: IncomingMessage, bytes: Buffer): Answer {
  const text = new TextDecoder().decode(bytes)
  const isJson = headers['content-type'] === 'application/json' && text !== ''
  let all: Headers | undefined
  return {
    status: statusCode,
    get headers() {
      return (all ??= headersOf(rawHeaders))
    },
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] ?? '', raw[i + 1] ?? '')
  return headers
}

/** Somebody who sends requests: a user with a token, or nobody in particular. */
export class Client {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>

  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.base = base
    this.headers = headers
  }

  get = (path: string, sending?: Sending) => this.send('GET', path, sending)
  head = (path: string, sending?: Sending) => this.send('HEAD', path, sending)
  post = (path: string, json?: unknown, sending?: Sending) => this.send('POST', path, { json, ...sending })
  put = (path: string, json?: unknown, sending?: Sending) => this.send('PUT', path, { json, ...sending })
  patch = (path: string, json?: unknown, sending?: Sending) => this.send('PATCH', path, { json, ...sending })
  delete = (path: string, json?: unknown, sending?: Sending) =>
    this.send('DELETE', path, { json, ...sending })

  /** A path below `/api/v4`, or a whole URL as `Link` headers have it. */
  async send(method: string, path: string, { json, form, headers }: Sending = {}): Promise<Answer> {
    const url = new URL(path.startsWith('http') ? path : `${this.base}/api/v4${path}`)
    const body = form === undefined ? jsonBody(json) : await encoded(form)
    return exchange(
      url,
      method,
      { accept: '*/*', 'user-agent': 'node', ...this.headers, ...body?.headers, ...headers },
      body,
    )
  }

  /** The same sender with further headers. */
  with(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.base, { ...this.headers, ...headers })
  }
}

/** The URL with this relation in a `Link` header. */
export function linkTo(rel: string, answer: Answer): string | undefined {
  return new RegExp(`<([^>]+)>; rel="${rel}"`).exec(answer.headers.get('link') ?? '')?.[1]
}
