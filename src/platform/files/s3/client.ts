import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { StoreUnavailable } from '../errors.ts'
import type { S3Address } from './address.ts'

export interface S3Options extends S3Address {
  readonly accessKey: string
  readonly secret: string
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The key; empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

/** The server refused a request and will refuse it again. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  readonly status: number

  constructor(status: number, text: string) {
    super(`S3 answered ${status}${text === '' ? '' : `: ${text}`}`)
    this.status = status
  }
}

const ATTEMPTS = 4
const FIRST_PAUSE = 100
/** The minimum speed of an upload in bytes per second; a slower one counts as silent. */
const SLOWEST_UPLOAD = 128 * 1024
const RETRIED = new Set([408, 429, 500, 502, 503, 504])

/** Sends signed requests to one bucket, with time-outs. Retries where that may help. */
export class S3Client {
  readonly options: S3Options
  readonly #base: string

  constructor(options: S3Options) {
    this.options = options
    this.#base = baseOf(options)
  }

  /**
   * @returns the answer as soon as its headers arrive; the caller must read or cancel its body.
   * @throws {S3Refusal} when the server refuses it, {StoreUnavailable} when it does not answer.
   */
  request(request: S3Request): Promise<Response> {
    return retried(() => this.#attempt(request, (answer) => answer))
  }

  /** The same for answers that are short texts. */
  text(request: S3Request): Promise<string> {
    return retried(() => this.#attempt(request, (answer) => answer.text()))
  }

  /** A URL with which anybody can read an object for some minutes. */
  async signedUrl(key: string, query: Readonly<Record<string, string>>): Promise<string> {
    const url = this.#urlOf(key, { ...query, 'X-Amz-Expires': '300' })
    const signed = await this.#signer({ method: 'GET', url, signQuery: true }).sign()
    return signed.url.toString()
  }

  async #attempt<T>(
    { method, key, query = {}, headers = {}, body }: S3Request,
    take: (answer: Response) => T | Promise<T>,
  ): Promise<T> {
    const digest = hash('sha256', body ?? '', 'hex')
    const signed = await this.#signer({
      method,
      url: this.#urlOf(key, query),
      // The server compares the digest with the bytes that it received.
      headers: { ...headers, 'x-amz-content-sha256': digest },
    }).sign()
    // Not signed, because proxies rewrite it. Sizes and ranges refer to the bytes as they were stored.
    signed.headers.set('accept-encoding', 'identity')
    const silence = this.options.timeout * 1000 + ((body?.length ?? 0) / SLOWEST_UPLOAD) * 1000
    const given = new AbortController()
    const timer = setTimeout(() => given.abort(new Error(`S3 is silent for ${silence} ms`)), silence)
    try {
      const answer = await fetch(signed.url, {
        method,
        headers: signed.headers,
        signal: given.signal,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      })
      if (answer.ok) return await take(answer)
      throw new S3Refusal(answer.status, codeOf(await answer.text().catch(() => '')))
    } finally {
      clearTimeout(timer)
    }
  }

  #signer(request: { method: string; url: string; headers?: Record<string, string>; signQuery?: boolean }) {
    const { accessKey, secret, region } = this.options
    return new AwsV4Signer({
      ...request,
      accessKeyId: accessKey,
      secretAccessKey: secret,
      region,
      service: 's3',
    })
  }

  #urlOf(key: string, query: Readonly<Record<string, string>>): string {
    const url = new URL(key === '' ? this.#base : `${this.#base}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url.href
  }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof S3Refusal && !RETRIED.has(error.status)) throw error
      if (count === ATTEMPTS) throw new StoreUnavailable(error)
      await backOff(count)
    }
  }
}

/** The answer of a request; undefined when the object does not exist. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof S3Refusal && error.status === 404) return undefined
    throw error
  }
}

/** Waits longer for each attempt. */
export async function backOff(attempt: number): Promise<void> {
  await pause(FIRST_PAUSE * 2 ** attempt)
}

function baseOf({ bucket, endpoint, region, pathStyle }: S3Options): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!pathStyle) url.host = `${bucket}.${url.host}`
  const path = url.pathname.replace(/\/$/, '')
  return `${url.origin}${path}${pathStyle ? `/${bucket}` : ''}`
}

/** The code and the message of an error in XML. The rest of such a body may name keys. */
function codeOf(xml: string): string {
  const inside = (name: string) => new RegExp(`<${name}>([^<]{0,500})</${name}>`).exec(xml)?.[1]
  return [inside('Code'), inside('Message')].filter((part) => part !== undefined).join(', ')
}
