import { resolve } from 'node:path'
import { asListenAddress, type ListenAddress } from './config-values.ts'

/** The beginning of addresses for SSH. */
export interface SshUrl {
  readonly account: string
  readonly host: string
  /** Undefined for the usual one. */
  readonly port: number | undefined
}

/** What the environment says about git over SSH. */
export interface SshConfig {
  /** Where the server itself listens; undefined means nowhere. */
  readonly sshAddress: ListenAddress | undefined
  /** Where clients reach it; undefined means where the server itself listens, if it does. */
  readonly sshUrl: SshUrl | undefined
  /** The socket on which OpenSSH asks the server; undefined means one in the data folder. */
  readonly sshSocket: string | undefined
}

const ACCOUNT = 'git'
const USUAL = 22

/** Reads `ssh://git@host:port`. */
function asSshUrl(text: string): SshUrl | undefined {
  const [, account = ACCOUNT, host, digits] =
    /^ssh:\/\/(?:([a-z_][a-z0-9_-]{0,31})@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?\/?$/.exec(
      text,
    ) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || port === 0 || (port ?? 1) > 65_535) return undefined
  return { account, host, port: port === USUAL ? undefined : port }
}

/** The variables for git over SSH. */
export const sshVariables = {
  sshAddress: {
    name: 'FORGELET_SSH_ADDRESS',
    fallback: undefined,
    accepts: 'an address and a port, such as 0.0.0.0:2222 or [::]:2222 (port 0: any free one)',
    about: 'Where the server itself listens for git over SSH. Unset: it does not. See the guide about SSH.',
    read: asListenAddress,
  },
  sshUrl: {
    name: 'FORGELET_SSH_URL',
    fallback: undefined,
    accepts: 'a URL such as ssh://git@example.com or ssh://git@example.com:2222',
    about:
      'Where people reach git over SSH; it starts every `ssh_url_to_repo`. Unset: the host of `FORGELET_EXTERNAL_URL` (or `FORGELET_HOST`) and the port of `FORGELET_SSH_ADDRESS`. With it, OpenSSH may ask the server.',
    read: asSshUrl,
  },
  sshSocket: {
    name: 'FORGELET_SSH_SOCKET',
    fallback: undefined,
    accepts: 'a path of at most 103 bytes',
    about:
      'The local socket on which OpenSSH asks the server; only its account can open it. Unset: `ssh/socket` in the data folder, if `FORGELET_SSH_URL` is set.',
    read: (text: string) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
  },
} as const

/**
 * What addresses for SSH begin with, such as `git@example.com:` or `ssh://git@example.com:2222/`.
 * @param site where the web pages are
 * @param port where the server itself listens for SSH, if it does
 */
export function sshSiteOf(
  { sshUrl }: Pick<SshConfig, 'sshUrl'>,
  site: string,
  port: number | undefined,
): string | undefined {
  const own = port === undefined ? undefined : { account: ACCOUNT, host: new URL(site).hostname, port }
  const found = sshUrl ?? own
  if (found === undefined) return undefined
  const { account, host } = found
  return found.port === undefined || found.port === USUAL
    ? `${account}@${host}:`
    : `ssh://${account}@${host}:${found.port}/`
}
