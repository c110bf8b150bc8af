import { untrusted } from '#platform/untrusted.ts'
import type { Transporter } from 'nodemailer'
import type { Log } from '#platform/context.ts'
import type { Mail } from './mail.ts'
import type { Mailbox, SmtpAddress } from './smtp-url.ts'

/** What became of handing a mail over. */
export type HandOverOutcome =
  | { readonly kind: 'sent' }
  /** The server refuses this mail, now and always (5xx for the recipient or the message). */
  | { readonly kind: 'refused'; readonly response: string }
  /** The server does not take this mail now (4xx). */
  | { readonly kind: 'later'; readonly response: string }
  /** The server cannot be used, for whatever mail. */
  | { readonly kind: 'trouble'; readonly response: string }

/** A mail as it leaves the outbox. */
export interface OutgoingMail extends Mail {
  readonly messageId: string
  readonly date: Date
}

export interface MailServerOptions {
  readonly smtp: SmtpAddress
  readonly from: Mailbox
  readonly replyTo: Mailbox | undefined
  /** Where links in mails lead; undefined until the server listens and knows its own address. */
  readonly site?: string | undefined
  readonly log: Log
}

/** Milliseconds that one mail may take in all, however often the server gives a sign of life. */
export const LONGEST_DELIVERY = 60_000
/** Milliseconds before a server that failed is tried again; each failure doubles them. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000

/** The mail server, as this process sees it: its connections, and whether it works. */
export class MailServer {
  readonly #options: MailServerOptions
  /** What became of the mails that this process had. */
  readonly counts = { sent: 0, refused: 0, later: 0, trouble: 0, expired: 0 }
  #site: string
  #transport: Promise<Transporter> | undefined
  #failures = 0
  #closedUntil = 0
  #problem: string | undefined

  constructor(options: MailServerOptions) {
    this.#options = options
    this.#site = options.site ?? 'http://localhost'
  }

  /** Where links in mails lead. Never the host of a request, which anybody can name. */
  get site(): string {
    return this.#site
  }

  /** Says where this server is reached; the external URL comes first. */
  listensAt(url: string): void {
    this.#site = this.#options.site ?? url
  }

  /** How many mails may be handed over at once. */
  get connections(): number {
    return this.#options.smtp.connections
  }

  /** The part of Message-IDs after the sign. */
  get domain(): string {
    return this.#options.from.address.replace(/^.*@/, '')
  }

  /** Milliseconds before the server should be tried again; 0 when it may be used. */
  get pause(): number {
    return Math.max(0, this.#closedUntil - performance.now())
  }

  /** What is wrong with the server, in a few words; undefined when it works, as far as this process knows. */
  problem(): string | undefined {
    return this.#problem
  }

  /** Hands a mail over. Never throws: whatever goes wrong is an outcome. */
  async send(mail: OutgoingMail, signal: AbortSignal): Promise<HandOverOutcome> {
    const outcome = await this.#send(mail, signal)
    this.counts[outcome.kind] += 1
    if (outcome.kind === 'trouble') this.#fail(outcome.response)
    else this.#work()
    return outcome
  }

  /** Signs in to the server and sends nothing. @throws what is wrong */
  async verify(): Promise<void> {
    await (await (this.#transport ??= this.#open())).verify()
  }

  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined)
    transport?.close()
  }

  async #send(mail: OutgoingMail, signal: AbortSignal): Promise<HandOverOutcome> {
    const { from, replyTo } = this.#options
    const { to, subject, text, html, messageId, inReplyTo, references, date, headers } = mail
    try {
      const transport = await (this.#transport ??= this.#open())
      await transport.sendMail({
        from: { name: mail.from ?? from.name, address: from.address },
        to: { name: to.name ?? '', address: to.address },
        ...(replyTo && { replyTo }),
        subject,
        text,
        ...(html !== undefined && { html }),
        messageId,
        ...(inReplyTo !== undefined && { inReplyTo }),
        ...(references !== undefined && { references: [...references] }),
        date,
        // Nobody's out-of-office notice should answer (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
        signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_DELIVERY)]),
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      return { kind: 'sent' }
    } catch (error) {
      return outcomeOf(error)
    }
  }

  /** Loaded with the first mail. */
  async #open(): Promise<Transporter> {
    const { host, port, user, password, tls, connections, timeout } = this.#options.smtp
    const { createTransport } = await import('nodemailer')
    return createTransport({
      pool: true,
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'required',
      ignoreTLS: tls === 'none',
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      tls: { minVersion: 'TLSv1.2' },
      maxConnections: connections,
      // Only the outbox sends again: it knows what it has sent.
      maxRequeues: 0,
      idleTimeout: 15_000,
      connectionTimeout: Math.min(timeout, 10_000),
      greetingTimeout: Math.min(timeout, 10_000),
      dnsTimeout: Math.min(timeout, 10_000),
      socketTimeout: timeout,
    })
  }

  #work(): void {
    if (this.#problem !== undefined) this.#options.log.info({}, 'the mail server works again')
    this.#failures = 0
    this.#closedUntil = 0
    this.#problem = undefined
  }

  #fail(problem: string): void {
    if (this.#problem === undefined)
      this.#options.log.warn({ problem }, 'the mail server does not work; mails wait')
    this.#problem = problem
    // Mails under way at the same time fail together, and count once.
    if (this.pause > 0) return
    this.#closedUntil = performance.now() + Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE)
    this.#failures += 1
  }
}

/** Commands whose refusal concerns one mail. A sender that is refused is refused for all. */
const ofOneMail = /^(?:RCPT TO|DATA|API)/

function outcomeOf(error: unknown): Exclude<HandOverOutcome, { kind: 'sent' }> {
  const { code, command = '', response, responseCode = 0, message } = detailsOf(error)
  const why = untrusted(error) ?? message
  const said = (response === undefined ? `${code ?? 'Error'}: ${why}` : `${command}: ${response}`)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
  // 421: the server is about to close the connection, for whatever mail.
  if (!ofOneMail.test(command) || responseCode === 421 || responseCode < 400)
    return { kind: 'trouble', response: said }
  return { kind: responseCode >= 500 && responseCode !== 503 ? 'refused' : 'later', response: said }
}

interface SmtpError {
  readonly message: string
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

function detailsOf(error: unknown): SmtpError {
  return error instanceof Error ? error : { message: String(error) }
}
