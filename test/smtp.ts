import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { vi } from 'vitest'
import { PATIENCE } from './patience.ts'

/** A mail as it came over the wire. */
export interface ReceivedMail {
  readonly from: string
  readonly to: string
  readonly raw: string
  /** The user that the connection had signed in as. */
  readonly user: string | undefined
  readonly secure: boolean
}

/** An answer of a mail server in place of acceptance. */
export class Refusal extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** What a test wants the mail server to do; each may throw a {@link Refusal}. */
export interface Behavior {
  sender?(address: string): void | Promise<void>
  recipient?(address: string): void | Promise<void>
  /** Called when the whole message is there, before it counts as received. */
  message?(mail: ReceivedMail): void | Promise<void>
}

/** A real mail server that keeps what it accepts. */
export class MailListener {
  readonly received: ReceivedMail[] = []
  behavior: Behavior = {}
  readonly #server: SMTPServer

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.secure || options.key ? [] : ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      logger: false,
      ...options,
      onMailFrom: ({ address }, _, reply) => void answer(() => this.behavior.sender?.(address), reply),
      onRcptTo: ({ address }, _, reply) => void answer(() => this.behavior.recipient?.(address), reply),
      onData: (stream, session, reply) => {
        const receive = async () => {
          const { mailFrom, rcptTo } = session.envelope
          const mail = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address).join(','),
            raw: await text(stream),
            user: session.user === undefined ? undefined : String(session.user),
            secure: session.secure,
          }
          await this.behavior.message?.(mail)
          this.received.push(mail)
        }
        void answer(receive, reply)
      },
    })
    // A client that goes away in the middle is no failure of the server.
    this.#server.on('error', () => {})
  }

  static async open(options: SMTPServerOptions = {}, port = 0): Promise<MailListener> {
    const listener = new MailListener(options)
    listener.#server.listen(port, '127.0.0.1')
    await once(listener.#server.server, 'listening')
    return listener
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  /** For `FORGELET_SMTP_URL`. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** Who was sent what so far. */
  mailsTo(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to === address)
  }

  /** Waits until this many mails have come for an address, and reads them. */
  async readMails(address: string, count = 1): Promise<Email[]> {
    const haveCome = () => this.mailsTo(address).length >= count
    await vi.waitUntil(haveCome, { timeout: PATIENCE, interval: 10 })
    return Promise.all(this.mailsTo(address).map(({ raw }) => readMail(raw)))
  }

  /** The last mail that came for an address; waits for the first. */
  async readMail(address: string): Promise<Email> {
    const mail = (await this.readMails(address)).at(-1)
    if (mail === undefined) throw new Error(`No mail for ${address}`)
    return mail
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#server.connections) connection.close()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}

/** Reads a message by a parser of mail. */
export const readMail = (raw: string): Promise<Email> => PostalMime.parse(raw)

/** The value of a header of a read mail; undefined when there is none. */
export const headerOf = (mail: Email, name: string): string | undefined =>
  mail.headers.find(({ key }) => key === name.toLowerCase())?.value

async function answer(
  work: () => void | Promise<void>,
  reply: (error?: Error | null) => void,
): Promise<void> {
  const problem = await Promise.resolve()
    .then(work)
    .then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    )
  reply(problem)
}

/** The mail server of the world that sends mails: see mail-world.ts. */
export const mails = await MailListener.open()
