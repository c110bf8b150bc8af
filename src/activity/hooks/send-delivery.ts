import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Secrets } from '#platform/db/secrets.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import { signingKey } from './check-values.ts'
import type { HookRow } from './entity.ts'
import { fillUrl, receiverOf } from './hook-url.ts'
import { openSecretsOf } from './sealing.ts'
import { fillTemplate } from './template.ts'

/** Milliseconds that a receiver has for its answer. */
export const RECEIVER_TIME = 10_000
/** Bytes of the answer that the log keeps. */
const KEPT_BODY = 8 * 1024
/** Characters of a header of the answer that the log keeps, and how many of them. */
const KEPT_HEADER = 1_000
const KEPT_HEADERS = 50
const HIDDEN = '[REDACTED]'

/** A payload on its way to a hook. */
export interface Delivery {
  readonly idempotency_key: string
  /** Of the payload. */
  readonly uuid: string
  readonly event: string
  readonly data: string
}

/** What came of sending a delivery once. */
export interface DeliveryResult {
  /** The URL with the names of its variables. */
  readonly url: string
  /** Without what is secret. */
  readonly request_headers: Readonly<Record<string, string>>
  readonly response_headers: Readonly<Record<string, string>>
  readonly response_body: string
  /** Null when there was no answer. */
  readonly status: number | null
  readonly seconds: number
}

export interface SendingServices {
  readonly outgoing: Outgoing
  readonly secrets: Secrets
  readonly site: string
  readonly now: Date
  readonly signal?: AbortSignal
}

/** Whether the receiver accepted the delivery. */
export const succeeded = ({ status }: Pick<DeliveryResult, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** Sends a delivery once. Nothing is thrown for what the receiver does: the result has it. */
export async function sendDelivery(
  hook: HookRow,
  delivery: Delivery,
  { outgoing, secrets, site, now, signal }: SendingServices,
): Promise<DeliveryResult> {
  const opened = openSecretsOf(secrets, hook)
  const { url, authorization } = receiverOf(fillUrl(hook.url, opened.variables))
  const body = bodyOf(hook, delivery.data)
  const own = {
    'Content-Type': 'application/json',
    'Idempotency-Key': delivery.idempotency_key,
    'X-Gitlab-Event': delivery.event,
    'X-Gitlab-Webhook-UUID': hook.uuid,
    'X-Gitlab-Instance': site,
    'X-Gitlab-Event-UUID': delivery.uuid,
    ...signatureOf(opened.signingToken, delivery, body, now),
  }
  const secret = {
    ...(authorization !== undefined && { Authorization: authorization }),
    ...withoutOwn(opened.headers, own),
    ...(opened.token !== null && { 'X-Gitlab-Token': opened.token }),
  }
  const shown = Object.fromEntries(Object.keys(secret).map((name) => [name, HIDDEN]))
  const begun = performance.now()
  const ended = (rest: Omit<DeliveryResult, 'url' | 'request_headers' | 'seconds'>): DeliveryResult => ({
    url: hook.url,
    request_headers: { ...own, ...shown },
    seconds: (performance.now() - begun) / 1000,
    ...rest,
  })
  try {
    const answer = await outgoing.request({
      url,
      method: 'POST',
      headers: { ...secret, ...own },
      body,
      timeoutMs: RECEIVER_TIME,
      maxBytes: Number.MAX_SAFE_INTEGER,
      verifyTls: hook.enable_ssl_verification,
      ...(signal && { signal }),
    })
    const text = await beginningOf(answer.body)
    return ended({ status: answer.status, response_headers: headersOf(answer.headers), response_body: text })
  } catch (error) {
    if (!(error instanceof OutgoingFailed)) throw error
    return ended({ status: null, response_headers: {}, response_body: error.message })
  }
}

/** A template from which no JSON comes sends the payload itself. */
function bodyOf({ custom_webhook_template }: HookRow, data: string): string {
  if (custom_webhook_template === null || custom_webhook_template === '') return data
  return fillTemplate(custom_webhook_template, JSON.parse(data)) ?? data
}

/** Custom headers never replace those of a delivery. */
function withoutOwn(headers: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) {
  const taken = new Set([...Object.keys(own), 'X-Gitlab-Token'].map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !taken.has(name.toLowerCase())))
}

/** The headers of a signature as Standard Webhooks has them. */
function signatureOf(
  token: string | null,
  { idempotency_key }: Delivery,
  body: string,
  now: Date,
): Readonly<Record<string, string>> {
  const key = token === null ? undefined : signingKey(token)
  if (key === undefined) return {}
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signed = createHmac('sha256', key).update(`${idempotency_key}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': idempotency_key,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signed}`,
  }
}

/** The beginning of an answer as text that PostgreSQL takes. What comes late, or breaks off, changes nothing. */
async function beginningOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of body) {
      const bytes: Buffer = piece
      pieces.push(bytes)
      size += bytes.length
      if (size >= KEPT_BODY) break
    }
  } catch (error) {
    if (!(error instanceof OutgoingFailed)) throw error
  } finally {
    body.destroy()
  }
  return clean(Buffer.concat(pieces).subarray(0, KEPT_BODY).toString('utf8'))
}

const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, KEPT_HEADERS)
      .map(([name, value = '']) => {
        const title = name.replace(/(^|-)([a-z])/g, (letters) => letters.toUpperCase())
        return [title, clean([value].flat().join(', ')).slice(0, KEPT_HEADER)]
      }),
  )
