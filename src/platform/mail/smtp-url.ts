import { isAddress } from './mail.ts'

/** Where mail goes out, as `FORGELET_SMTP_URL` says. */
export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  /**
   * `implicit`: TLS from the first byte. `required`: no mail and no password without STARTTLS. `offered`: STARTTLS if
   * the server has it. `none`: never.
   */
  readonly tls: 'implicit' | 'required' | 'offered' | 'none'
  /** Connections of one process at once. */
  readonly connections: number
  /** Milliseconds that the server may be silent. */
  readonly timeout: number
}

const known = new Set(['tls', 'connections', 'timeout'])

/** Reads `smtp://user:password@host:587` or `smtps://…`. */
export function readSmtpUrl(text: string): SmtpAddress | undefined {
  if (!/^smtps?:\/\/\S+$/.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(text)
  if (hostname === '' || !['', '/'].includes(pathname) || hash !== '') return undefined
  if ([...searchParams.keys()].some((name) => !known.has(name))) return undefined
  const credentials = { user: decoded(username), password: decoded(password) }
  if (credentials.user === null || credentials.password === null) return undefined
  const asked = searchParams.get('tls')
  const tls = protocol === 'smtps:' ? 'implicit' : (asked ?? (username === '' ? 'offered' : 'required'))
  if (
    !isTls(tls) ||
    (tls === 'implicit') !== (protocol === 'smtps:') ||
    (protocol === 'smtps:' && asked !== null)
  )
    return undefined
  const connections = count(searchParams.get('connections') ?? '5', 50)
  const timeout = count(searchParams.get('timeout') ?? '30', 300)
  if (connections === undefined || timeout === undefined) return undefined
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (tls === 'implicit' ? 465 : 587) : Number(port),
    user: credentials.user,
    password: credentials.password,
    tls,
    connections,
    timeout: timeout * 1000,
  }
}

const isTls = (text: string): text is SmtpAddress['tls'] =>
  ['implicit', 'required', 'offered', 'none'].includes(text)

/** @returns null when it cannot be decoded. */
function decoded(text: string): string | undefined | null {
  if (text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function count(text: string, most: number): number | undefined {
  const number = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  return number <= most ? number : undefined
}

/** A sender or receiver of answers. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Reads `somebody@example.com` or `A name <somebody@example.com>`. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', inner] = /^\s*"?([^"<>\p{Cc}]*?)"?\s*<([^<>]+)>\s*$/u.exec(text) ?? []
  const address = (inner ?? text).trim()
  return isAddress(address) && name.length <= 100 ? { name, address } : undefined
}
