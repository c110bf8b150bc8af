import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Settings } from '#platform/settings/definitions.ts'
import { isMetadataService, isPublic } from './addresses.ts'
import { type Allowlist, readAllowlist, type OutgoingTarget } from './allowlist.ts'
import { OutgoingFailed, outgoingRefused } from './errors.ts'

export interface Address {
  readonly address: string
  readonly family: number
}

/** Finds the addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly Address[]>

const resolveBySystem: Resolve = (host) => systemLookup(host, { all: true, order: 'verbatim' })

type GuardSettings = Pick<
  Settings,
  'allow_local_requests_from_web_hooks_and_services' | 'outbound_local_requests_whitelist'
>

/** Ports below 1024 belong to services that must not be sent what somebody else made up, such as mail. */
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024

/** Users read it too, and cannot do it themselves. */
const HINT = '(administrators can allow them with the setting outbound_local_requests_whitelist)'

/** Decides where this server may connect to because a user wants it. */
export class Guard {
  readonly #settings: () => GuardSettings
  readonly #resolve: Resolve
  #read: { readonly from: readonly string[]; readonly allows: Allowlist } | undefined

  constructor(settings: () => GuardSettings, resolve: Resolve = resolveBySystem) {
    this.#settings = settings
    this.#resolve = resolve
  }

  /**
   * Looks the host up, once, and checks every address that it has.
   * @returns the addresses. Whoever connects uses these and looks nothing up again: the next answer may be another one.
   * @throws OutgoingFailed when one of them is not allowed, or the name is not known.
   */
  async resolve(target: OutgoingTarget, signal?: AbortSignal): Promise<readonly Address[]> {
    const found = await this.#addressesOf(target.host, signal)
    for (const { address } of found) this.#assertAllowed(target, address)
    return found
  }

  #assertAllowed(target: OutgoingTarget, address: string): void {
    const { allow_local_requests_from_web_hooks_and_services: isOpen } = this.#settings()
    // Whoever opens the network hardly means to give away the credentials of the machine.
    if ((isOpen && !isMetadataService(address)) || this.#allowlist(target, address)) return
    if (!isPublic(address)) throw outgoingRefused(`Requests to the local network are not allowed ${HINT}`)
    if (!isUsualPort(target.port))
      throw outgoingRefused(`Only the ports 80, 443 and those from 1024 are allowed ${HINT}`)
  }

  /** Settings are objects that are replaced, never changed. */
  get #allowlist(): Allowlist {
    const from = this.#settings().outbound_local_requests_whitelist
    if (this.#read?.from !== from) this.#read = { from, allows: readAllowlist(from) }
    return this.#read.allows
  }

  async #addressesOf(host: string, signal: AbortSignal | undefined): Promise<readonly Address[]> {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    const looked = this.#resolve(host).catch((error: unknown) => {
      throw new OutgoingFailed('unreachable', `The host ${host} is not known`, { cause: error })
    })
    const found = await (signal === undefined ? looked : orAborted(looked, signal))
    if (found.length === 0) throw new OutgoingFailed('unreachable', `The host ${host} has no address`)
    return found
  }
}

/** A look-up cannot be cancelled, but nobody need wait for it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A look-up for Node's sockets that knows one answer. */
export function answering(addresses: readonly Address[]): LookupFunction {
  const [first = { address: '', family: 0 }] = addresses
  return (_host, options, done) => {
    if (options.all === true) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}
