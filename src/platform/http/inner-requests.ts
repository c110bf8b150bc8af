import type { FastifyReply, FastifyRequest } from 'fastify'
import { isRead } from './methods.ts'
import { forgetOnPage } from './page-containers.ts'

const { IncomingMessage, ServerResponse } = process.getBuiltinModule('node:http')

/** What a page asks the API: a path below `/api/v4` with its query, and parameters in the body. */
export interface InnerRequest {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** As the header says it, for a part of a file. */
  readonly range?: string
  /** When what it changes was changed last, as the API told it: 412 if that is not so any more. */
  readonly unmodifiedSince?: string
}

/** What the API answers. */
export interface InnerAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly bytes: Buffer
  /** What the route declares of the body with this status. */
  readonly schema: unknown
}

/** Headers that say from where the visitor asks, and by which address. */
const PASSED_ON = ['host', 'user-agent', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const

class InnerMessage extends IncomingMessage {
  readonly page: FastifyRequest
  readonly parameters: Readonly<Record<string, unknown>>

  constructor(page: FastifyRequest, { method, path, body, range, unmodifiedSince }: InnerRequest) {
    super(page.raw.socket)
    this.page = page
    this.parameters = body
    this.method = method
    this.url = path
    this.httpVersion = '1.1'
    const { headers } = page.raw
    this.headers = Object.fromEntries(
      PASSED_ON.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
    )
    if (range !== undefined) this.headers.range = range
    if (unmodifiedSince !== undefined) this.headers['if-unmodified-since'] = unmodifiedSince
  }
}

/** Bytes of an answer. Lists of long texts are streamed to clients; a page would hold all of one in memory. */
const MOST_BYTES = 16 * 1024 * 1024
const TOO_MUCH =
  '{"message":"413 Request Entity Too Large - there is too much text here to be shown at once"}'

/** Gathers an answer, which no connection sends. */
class InnerResponse extends ServerResponse {
  readonly #headers = new Map<string, string>()
  #pieces: Buffer[] = []
  #room = MOST_BYTES
  readonly #done: (answer: InnerAnswer) => void
  schema: unknown

  constructor(message: InnerMessage, done: (answer: InnerAnswer) => void) {
    super(message)
    this.#done = done
  }

  override writeHead(status: number, headers?: unknown): this {
    this.statusCode = status
    for (const [name, value] of Object.entries(headers ?? {})) this.#headers.set(name, String(value))
    return this
  }

  /** @param rest perhaps an encoding, and who is told when the piece is taken */
  override write(piece: unknown, ...rest: readonly unknown[]): boolean {
    const taken = rest.find((one): one is () => void => typeof one === 'function')
    if (taken !== undefined) process.nextTick(taken)
    if (this.#room < 0 || (typeof piece !== 'string' && !(piece instanceof Uint8Array))) return true
    const bytes = Buffer.from(piece)
    this.#room -= bytes.length
    this.#pieces.push(bytes)
    if (this.#room < 0) this.#refuse()
    return true
  }

  /** Ends the request, and what streams its answer, as if the client had left. */
  #refuse(): void {
    this.#pieces = []
    const headers = new Map([['content-type', 'application/json']])
    this.#done({ status: 413, headers, text: TOO_MUCH, bytes: Buffer.from(TOO_MUCH), schema: undefined })
    this.emit('close')
  }

  override end(piece?: unknown): this {
    this.write(piece)
    if (this.#room < 0) return this
    const { statusCode: status, schema } = this
    // Answers that are streamed set them one by one.
    for (const [name, value] of Object.entries(this.getHeaders())) this.#headers.set(name, String(value))
    const bytes = Buffer.concat(this.#pieces)
    this.#done({ status, headers: this.#headers, text: bytes.toString(), bytes, schema })
    this.emit('finish')
    return this
  }
}

/** A request that a page makes inside the process; undefined for those that clients send. */
export const innerOf = ({ raw }: Pick<FastifyRequest, 'raw'>): InnerMessage | undefined =>
  raw instanceof InnerMessage ? raw : undefined

/** Notes what the route of an inner request declares of its answer. */
export function noteSchema({ routeOptions }: FastifyRequest, { raw }: FastifyReply): void {
  if (!(raw instanceof InnerResponse)) return
  const { response } = routeOptions.schema ?? {}
  const declared = Object.entries(response ?? {}).find(([status]) => status === String(raw.statusCode))
  raw.schema = declared?.[1]
}

/**
 * Asks the API inside the process, as the visitor of a page: by the same routes and checks as over HTTP. The visitor is known already, and
 * the page counts as the one request in limits, logs and metrics.
 */
export async function askInside(page: FastifyRequest, request: InnerRequest): Promise<InnerAnswer> {
  const answer = await new Promise<InnerAnswer>((resolve, reject) => {
    const message = new InnerMessage(page, request)
    const response = new InnerResponse(message, resolve)
    response.once('error', reject)
    page.server.routing(message, response)
  })
  if (!isRead(request.method)) forgetOnPage(page)
  return answer
}
