/**
 * What kept a request from its answer. `refused`: this server does not send it; `unreachable`: there is no connection,
 * or it broke; `slow`: the time was over; `large`: there was more to read than allowed; `redirected`: to where this
 * server does not follow.
 */
export type OutgoingReason = 'refused' | 'unreachable' | 'slow' | 'large' | 'redirected'

/** A request to another server has no answer. The message is a sentence that clients may see. */
export class OutgoingFailed extends Error {
  override readonly name = 'OutgoingFailed'
  readonly reason: OutgoingReason

  constructor(reason: OutgoingReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export const outgoingRefused = (because: string) => new OutgoingFailed('refused', because)
export const tooLarge = (maxBytes: number) =>
  new OutgoingFailed('large', `The answer is larger than ${maxBytes} bytes`)

/** What the error of a connection to a host means. @param signal ended the request when its time was over */
export function meaningOf(error: unknown, host: string, signal?: AbortSignal): unknown {
  if (error instanceof OutgoingFailed) return error
  if (signal?.aborted === true) {
    const isOver = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
    return isOver
      ? new OutgoingFailed('slow', `${host} took too long to answer`, { cause: error })
      : signal.reason
  }
  return new OutgoingFailed('unreachable', `${host} cannot be reached: ${sentenceOf(error)}`, {
    cause: error,
  })
}

/** Users read it too, and cannot do it themselves. */
const NOT_TRUSTED =
  'its certificate is not trusted; administrators can name its authority in NODE_EXTRA_CA_CERTS'

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it ended the connection',
  EPIPE: 'it ended the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to its network',
  ETIMEDOUT: 'it does not answer',
}

function sentenceOf(error: unknown): string {
  // Of several addresses that were tried, the first one's error says enough.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = one instanceof Error && 'code' in one ? String(one.code) : ''
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME|ISSUER|SIGNATURE/.test(code)) return NOT_TRUSTED
  return sentences[code] ?? 'the connection failed'
}
