import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Outgoing, OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { Credentials } from '../credentials.ts'
import { type BearerChallenge, type Challenge, readChallenges } from './challenges.ts'
import { IdentificationFailed } from './identification.ts'

/** A registry of somebody else, and as whom this program asks it. */
export interface Remote {
  /** As `readUpstreamUrl` returns it. */
  readonly url: string
  readonly credentials: Credentials | undefined
}

export interface Question {
  readonly method: 'GET' | 'HEAD'
  /** The name of the image, for the token. */
  readonly image: string
  /** What follows `/v2/`, with the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** Milliseconds until the head of an answer, and until the last byte of the largest blob. */
const HEAD = 30_000
const WHOLE = 12 * 60 * 60_000
const REDIRECTS = 5
/** Bytes of the answer of a server for tokens. */
const MAX_TOKEN = 1024 * 1024
/** How long a token lasts that does not say it, in seconds (as the token specification has it), and what is taken off. */
const TOKEN_TERM = 60
const EARLIER = 10
/** How long the server for tokens counts as knowing a password after it gave a token for it, in milliseconds. */
const KNOWN = 10 * 60_000
/** Tokens and challenges that are remembered. */
const REMEMBERED = 2_000

interface Token {
  readonly value: string
  readonly until: number
}

/** Asks other registries, and identifies itself as they want it. */
export class Remotes {
  readonly #outgoing: Outgoing
  readonly #challenges = new Map<string, readonly Challenge[]>()
  readonly #tokens = new Map<string, Token>()
  /** Until when servers for tokens count as knowing who asks. */
  readonly #known = new Map<string, number>()

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing
  }

  /**
   * Asks, and says who asks if the registry wants to know. An answer of 401 or 403 is about what was asked for.
   * @throws OutgoingFailed when there is no answer
   * @throws IdentificationFailed when the registry wants to know who asks, and could not be told
   */
  async ask(remote: Remote, question: Question): Promise<OutgoingAnswer> {
    const key = keyOf(remote)
    const known = this.#challenges.get(key)
    let before: string | undefined
    let failure: unknown
    try {
      before = known && (await this.#authorization(remote, question, known))
    } catch (error) {
      // It was about something else, and this may be public.
      failure = error
    }
    const first = await this.#send(remote, question, before)
    if (first.status !== 401) return first
    first.body.destroy()
    if (failure !== undefined) {
      this.#challenges.delete(key)
      throw failure
    }
    const challenges = challengesOf(remote, first)
    if (challenges.length === 0) throw refusedBy(remote)
    remember(this.#challenges, key, challenges)
    this.#tokens.delete(tokenKey(remote, question))
    const authorization = await this.#authorization(remote, question, challenges)
    const second = authorization === before ? first : await this.#send(remote, question, authorization)
    if (second.status !== 401 || isAbout(challengesOf(remote, second), authorization)) return second
    second.body.destroy()
    throw refusedBy(remote)
  }

  async #send(
    { url }: Remote,
    { method, path, headers = {}, maxBytes, signal }: Question,
    authorization: string | undefined,
  ): Promise<OutgoingAnswer> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), HEAD)
    try {
      return await this.#outgoing.request({
        url: `${baseOf(url)}/${path}`,
        method,
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
        timeoutMs: WHOLE,
        maxBytes,
        redirects: REDIRECTS,
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /** The header for the first challenge that can be answered. @throws what kept the first one from an answer */
  async #authorization(
    remote: Remote,
    question: Question,
    challenges: readonly Challenge[],
  ): Promise<string> {
    let failure: unknown
    for (const challenge of challenges) {
      try {
        if (challenge.scheme === 'bearer') return await this.#bearer(remote, question, challenge)
        if (remote.credentials !== undefined) return basic(remote.credentials)
      } catch (error) {
        if (!(error instanceof OutgoingFailed) && !(error instanceof IdentificationFailed)) throw error
        failure ??= error
      }
    }
    throw failure ?? refusedBy(remote)
  }

  async #bearer(remote: Remote, question: Question, challenge: BearerChallenge): Promise<string> {
    const key = tokenKey(remote, question)
    const known = this.#tokens.get(key)
    if (known !== undefined && known.until > Date.now()) return `Bearer ${known.value}`
    const token = await this.#fetchToken(remote, question, challenge)
    remember(this.#tokens, key, token)
    return `Bearer ${token.value}`
  }

  /**
   * Gets a token from the server that the registry names. That server gets the credentials, as with every client of
   * registries, but never in plain text when the registry itself has https.
   */
  async #fetchToken(
    remote: Remote,
    { image, signal }: Question,
    { realm, service }: BearerChallenge,
  ): Promise<Token> {
    const { url, credentials } = remote
    const at = new URL(realm)
    const key = `${keyOf(remote)} ${at.origin}`
    if (at.protocol !== 'https:' && new URL(url).protocol === 'https:')
      throw new OutgoingFailed('redirected', `${new URL(url).host} wants tokens from a server without https`)
    if (service !== undefined) at.searchParams.set('service', service)
    at.searchParams.set('scope', `repository:${image}:pull`)
    const asked = {
      tokenServer: at.host,
      withPassword: credentials !== undefined,
      isKnown: (this.#known.get(key) ?? 0) > Date.now(),
    }
    try {
      const { status, headers, body } = await this.#outgoing.request({
        url: at.href,
        headers: {
          accept: 'application/json',
          ...(credentials && { authorization: basic(credentials) }),
        },
        timeoutMs: HEAD,
        maxBytes: MAX_TOKEN,
        redirects: REDIRECTS,
        ...(signal && { signal }),
      })
      if (status !== 200) body.destroy()
      const token = status === 200 ? readToken(await readText(body)) : undefined
      if (token === undefined) {
        if (status === 401) this.#known.delete(key)
        throw new IdentificationFailed({ ...asked, status, headers })
      }
      remember(this.#known, key, Date.now() + KNOWN)
      return token
    } catch (error) {
      if (error instanceof OutgoingFailed && isPassing(error))
        throw new IdentificationFailed({ ...asked, status: undefined }, { cause: error })
      throw error
    }
  }
}

/** What this server does not send, or where it does not follow, is no failure of the other one. */
const isPassing = ({ reason }: OutgoingFailed): boolean => reason !== 'refused' && reason !== 'redirected'

/**
 * The challenges of a registry. Whoever it redirects to has none: what they ask for was given to us for the registry
 * alone, and the server for tokens that they name would get the password.
 */
const challengesOf = ({ url }: Remote, answer: OutgoingAnswer): readonly Challenge[] =>
  new URL(answer.url).origin === new URL(url).origin ? readChallenges(answer.headers['www-authenticate']) : []

/** Whether a registry that answers 401 to a token knows who asks, and refuses what is asked for. */
const isAbout = (challenges: readonly Challenge[], authorization: string): boolean =>
  authorization.startsWith('Bearer ') &&
  challenges.some((one) => one.scheme === 'bearer' && one.error !== 'invalid_token')

const refusedBy = ({ credentials }: Remote) =>
  new IdentificationFailed({
    tokenServer: undefined,
    withPassword: credentials !== undefined,
    status: 401,
  })

function readToken(text: string): Token | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  const given = new Map<string, unknown>(Object.entries(Object(answer)))
  const value = [given.get('token'), given.get('access_token')].find(
    (one) => typeof one === 'string' && one !== '',
  )
  // What cannot stand in a header is no token.
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return undefined
  const term = Number(given.get('expires_in') ?? TOKEN_TERM)
  return { value, until: Date.now() + (Number.isFinite(term) ? term - EARLIER : 0) * 1000 }
}

/** Reads a short body. @throws OutgoingFailed */
export async function readText(body: Readable): Promise<string> {
  return (await bytesOf(body)).toString('utf8')
}

/** The same as bytes. */
export async function bytesOf(body: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Some people give the URL with the version of the protocol. */
const baseOf = (url: string) => (url.endsWith('/v2') ? url : `${url}/v2`)

const basic = ({ username, password }: Credentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Another password has another key, so nothing of the old one is used. */
const keyOf = ({ url, credentials }: Remote) =>
  createHash('sha256')
    .update(JSON.stringify([url, credentials]))
    .digest('base64')
const tokenKey = (remote: Remote, { image }: Question) => `${keyOf(remote)} ${image}`

/** Forgets what was remembered first when it becomes too much. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest)
}
