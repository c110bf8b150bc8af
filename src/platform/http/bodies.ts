import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BodyBytes } from './body-bytes.ts'
import type { BodyKind, Names } from './body-kind.ts'
import { SMALL_BODY } from './body-limits.ts'
import { gatherText } from './growable-text.ts'
import { UnreadableBody } from './errors.ts'
import { TooLarge } from '#platform/refusals.ts'
import { bytesOf, hasBody, limited } from './incoming.ts'
import { readMultipart } from './multipart.ts'
import { isFile } from './scalars.ts'
import { type Attachment, MAX_PAIRS, nest, UnreadableNames } from './nested.ts'

type Parameters = Record<string, unknown>
type Pairs = Iterable<readonly [string, string | Attachment]>

const unreadable = (because: string) => new UnreadableBody(because)

/**
 * Reads a query string as values.
 * @throws 400 when its names contradict each other, or when a name that must be unique is repeated.
 */
export function readQuery(query: string, names: Names = 'nested'): Parameters {
  if (query === '') return {}
  return (names === 'plain' ? readOnce : nestOrRefuse)(new URLSearchParams(query))
}

function nestOrRefuse(pairs: Pairs): Parameters {
  try {
    return nest(pairs)
  } catch (error) {
    if (error instanceof UnreadableNames) throw unreadable(error.message)
    throw error
  }
}

/** RFC 6749 §3.1, §3.2: no name may be repeated, and blank values count as absent. */
function readOnce(pairs: Pairs): Parameters {
  const read = new Map<string, unknown>()
  for (const [name, value] of pairs) {
    if (read.has(name)) throw unreadable(`${name.slice(0, 40)} is given twice`)
    read.set(name, value)
  }
  return withoutBlanks(Object.fromEntries(read))
}

const withoutBlanks = (values: Readonly<Parameters>): Parameters =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

type Reader = (request: FastifyRequest, bytes: AsyncIterable<Buffer>, names: Names) => Promise<Parameters>

/** The readers of bodies that carry parameters, by content type. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'application/json',
    async (request, bytes, names) => valuesIn(await gatherText(bytes, request.routeOptions.bodyLimit), names),
  ],
  [
    'application/x-www-form-urlencoded',
    async (request, bytes, names) =>
      readQuery(await gatherText(bytes, request.routeOptions.bodyLimit), names),
  ],
  [
    'multipart/form-data',
    async (request, bytes, names) =>
      (names === 'plain' ? readOnce : nestOrRefuse)(await readMultipart(request, bytes)),
  ],
])

/** What browsers send. JSON may nest without end, and pages read all that they get. */
const FORMS: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Reads the parameters in a body. Pages take forms alone. One without a content type is an object in JSON, or empty, which means no parameters.
 * @throws 400 for what cannot be read, 408 for what comes too slowly, 413, 415, and 503 when too many bodies are in
 * memory.
 */
export async function readParametersOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { names, maxCharacters }: Extract<BodyKind, { readonly as: 'parameters' }>,
): Promise<Parameters> {
  const type = mediaTypeOf(request)
  const read = readers.get(type)
  const isPage = request.routeOptions.config.access?.page !== undefined
  if (type !== '' && read === undefined) throw unsupported(request)
  if (!hasBody(request.raw)) return {}
  if (isPage && !FORMS.includes(type)) throw unsupported(request)
  refuseCompressed(request)
  const most = request.routeOptions.bodyLimit
  // The caller is still unknown. The body may hold a token, so only a small body is read until the caller is
  // identified.
  const isStranger = request.identity === undefined && !request.vouched
  const bytes = inMemory(request, reply, isStranger ? Math.min(SMALL_BODY, most) : most)
  const parameters = await (read ?? readUntyped)(request, bytes, names)
  if (maxCharacters !== undefined && charactersOf(parameters) > maxCharacters) throw new TooLarge()
  return parameters
}

/** Characters of names and texts. Their depth is bounded, as that of all forms. */
const charactersOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : typeof value !== 'object' || value === null || isFile(value)
      ? 0
      : Object.entries(value).reduce((sum, [name, one]) => sum + name.length + charactersOf(one), 0)

/** Some clients send JSON without saying so. Forms always say so. @throws 415 for anything else */
const readUntyped: Reader = async (request, bytes, names) => {
  const text = await gatherText(bytes, request.routeOptions.bodyLimit)
  if (text === '') return {}
  if (!text.trimStart().startsWith('{')) throw unsupported(request)
  return valuesIn(text, names)
}

/** The bytes of a body, within the limit of its route. They fail with 408, 413 and 503, as above. */
export const bytesFor = (request: FastifyRequest, reply: FastifyReply): BodyBytes =>
  new BodyBytes(inMemory(request, reply, request.routeOptions.bodyLimit))

/** The bytes of a body as they arrive. The stream fails when the sender stops or is too slow. */
export function streamOf(request: FastifyRequest, reply: FastifyReply): Readable {
  const { transport } = request.server
  return Readable.from(bytesOf(request, reply, transport.streamed), { objectMode: false })
}

/** The bytes of a body that is kept in memory, up to a limit. */
function inMemory(request: FastifyRequest, reply: FastifyReply, limit: number): AsyncIterable<Buffer> {
  const { transport, bodyMemory } = request.server
  const bytes = bytesOf(request, reply, transport.inMemory)
  return limited(bytes, request, limit, bodyMemory.for(reply.raw))
}

const mediaTypeOf = ({ headers }: FastifyRequest): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const unsupported = ({ headers }: FastifyRequest) =>
  new UnreadableBody(`The requested content-type '${headers['content-type'] ?? ''}' is not supported.`, 415)

function valuesIn(json: string, names: Names): Parameters {
  const values = readJson(json)
  return names === 'plain' ? withoutBlanks(values) : values
}

function readJson(body: string): Parameters {
  if (body.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw unreadable(error instanceof Error ? `The body is not valid JSON: ${error.message}` : String(error))
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw unreadable('The body should be a JSON object of parameters.')
  }
  const entries = Object.entries(value)
  if (entries.length > MAX_PAIRS) throw unreadable(`more than ${MAX_PAIRS} parameters`)
  return Object.fromEntries(entries)
}

/** A small compressed body may be a large one. @throws 415 */
function refuseCompressed({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? ''
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase())
  if (codings.every((coding) => coding === '' || coding === 'identity')) return
  const coding = encoding.slice(0, 40)
  throw new UnreadableBody(
    `The requested content-encoding '${coding}' is not supported: send the body as it is.`,
    415,
  )
}
