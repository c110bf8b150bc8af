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
    const body = form ?? (json === undefined ? undefined : JSON.stringify(json))
    const response = await fetch(path.startsWith('http') ? path : `${this.base}/api/v4${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(json === undefined || form !== undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
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
