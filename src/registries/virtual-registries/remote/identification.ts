import type { IncomingHttpHeaders } from 'node:http'

interface About {
  /** The server for tokens that did not give one; undefined when the registry itself has refused. */
  readonly tokenServer: string | undefined
  readonly withPassword: boolean
  /** That server has given a token for the same password a short time ago. */
  readonly isKnown?: boolean
  /** Undefined when there was no answer; 200 when the answer had no token. */
  readonly status: number | undefined
  readonly headers?: IncomingHttpHeaders
}

/**
 * A registry wants to know who asks, and could not be told: it does not accept the password, or its server for tokens
 * gave none. So nothing is known of what it has.
 */
export class IdentificationFailed extends Error {
  override readonly name = 'IdentificationFailed'
  readonly tokenServer: string | undefined
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly withPassword: boolean
  readonly isKnown: boolean

  constructor(
    { tokenServer, withPassword, isKnown = false, status, headers = {} }: About,
    options?: ErrorOptions,
  ) {
    super(`${tokenServer ?? 'The registry'} answers ${status ?? 'nothing'} to who asks`, options)
    this.tokenServer = tokenServer
    this.withPassword = withPassword
    this.isKnown = isKnown
    this.status = status
    this.headers = headers
  }

  /**
   * Some servers for tokens refuse what somebody may not have, or what they do not have. That is about the image, unless
   * they may have refused the password.
   */
  get isAboutImage(): boolean {
    return this.tokenServer !== undefined && this.status === 403 && (!this.withPassword || this.isKnown)
  }
}
