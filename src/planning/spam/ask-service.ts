import { text as read } from 'node:stream/consumers'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'

/** Milliseconds that a service may take; somebody waits. */
const PATIENCE = 5_000
/** Bytes of an answer. */
const LONGEST_ANSWER = 16_384

export interface ServiceAnswer {
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Sends a form to a service, and reads its answer.
 * @throws when there is none, or it is no success.
 */
export async function askService(
  outgoing: Outgoing,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<ServiceAnswer> {
  const answer = await outgoing.request({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Forgelet' },
    body: new URLSearchParams(form).toString(),
    timeoutMs: PATIENCE,
    maxBytes: LONGEST_ANSWER,
  })
  const text = await read(answer.body)
  if (answer.status !== 200) throw new Error(`The service answered ${answer.status}`)
  return { text, headers: answer.headers }
}
