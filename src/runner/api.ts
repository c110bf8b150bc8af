import { setTimeout as wait } from 'node:timers/promises'
import { untrusted } from '#platform/untrusted.ts'

/** The server has not answered, or not for good: the same may succeed later. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  /** Milliseconds that the server asks to wait. */
  readonly retryAfter: number | undefined

  constructor(why: string, retryAfter?: number, cause?: unknown) {
    super(why, { cause })
    this.retryAfter = retryAfter
  }
}

/** The server has refused for good. */
export class RefusedByServer extends Error {
  override readonly name = 'RefusedByServer'
  readonly status: number
  readonly headers: Headers

  constructor(status: number, headers: Headers, text: string) {
    super(`${status} ${reasonIn(text)}`)
    this.status = status
    this.headers = headers
  }
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly json?: object
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds that the whole answer may take. */
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
  /** Statuses besides 2xx that are no refusals. */
  readonly expected?: readonly number[]
}

const TIMEOUT = 60_000
/** Bytes of an answer that is read whole. */
const MOST = 16 * 1024 * 1024

/** The API of a server, as a runner uses it. */
export class Api {
  readonly #base: string
  readonly #agent: string

  /** @param url where the server is: `https://forge.example.org` */
  constructor(url: string, version: string) {
    this.#base = `${url.replace(/\/+$/, '')}/api/v4`
    this.#agent = `forgelet-runner ${version}`
  }

  /**
   * Sends one request.
   * @throws {Unanswered} {RefusedByServer}
   */
  async send(request: ApiRequest): Promise<Response> {
    const { method, path, json, headers, timeout = TIMEOUT, signal, expected = [] } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const ends = AbortSignal.timeout(timeout)
    let answer: Response
    try {
      answer = await fetch(this.#base + path, {
        method,
        ...(body !== undefined && { body }),
        headers: {
          'user-agent': this.#agent,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: signal === undefined ? ends : AbortSignal.any([signal, ends]),
        redirect: 'follow',
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw new Unanswered(whyNot(error), undefined, error)
    }
    if (answer.ok || expected.includes(answer.status)) return answer
    const text = await textOf(answer).catch(() => '')
    if (answer.status >= 500 || answer.status === 429 || answer.status === 408)
      throw new Unanswered(`${answer.status} ${reasonIn(text)}`, retryAfterOf(answer))
    throw new RefusedByServer(answer.status, answer.headers, text)
  }

  /** The same, for answers of JSON. */
  async json(request: ApiRequest): Promise<unknown> {
    const text = await textOf(await this.send(request))
    try {
      const value: unknown = JSON.parse(text)
      return value
    } catch (error) {
      throw new Unanswered('the answer is no JSON', undefined, error)
    }
  }
}

/** The text of an answer. @throws {Unanswered} for one that is cut or too long */
export async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of answer.body ?? []) {
      size += piece.length
      if (size > MOST) throw new Error('the answer is too long')
      pieces.push(piece)
    }
  } catch (error) {
    throw new Unanswered(whyNot(error), undefined, error)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Seconds at most between two attempts. */
const LONGEST_WAIT = 30

/**
 * Repeats what got no answer, with longer and longer pauses.
 * @param until performance.now() after which the last failure is thrown
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  { until, signal, onFailure }: RetryOptions,
): Promise<T> {
  for (let times = 0; ; times += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      const pause = error.retryAfter ?? Math.min(LONGEST_WAIT, 2 ** times) * (500 + Math.random() * 500)
      if (performance.now() + pause > until) throw error
      onFailure?.(error)
      await wait(pause, undefined, signal && { signal })
    }
  }
}

export interface RetryOptions {
  readonly until: number
  readonly signal?: AbortSignal | undefined
  readonly onFailure?: (error: Unanswered) => void
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 300) * 1000 : undefined
}

/** The reason that a refusal gives, on one line. */
function reasonIn(text: string): string {
  let reason = text
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null)
      reason = String(Object.entries(body).find(([key]) => key === 'message' || key === 'error')?.[1] ?? text)
  } catch {
    // It is no JSON.
  }
  // Some servers begin the message with the status, which is there already.
  return reason
    .replace(/\s+/g, ' ')
    .replace(/^\d{3} /, '')
    .slice(0, 200)
}

/** Why a request failed: `fetch` hides it in the cause. */
function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  const why = untrusted(error)
  if (why !== undefined) return why
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}
