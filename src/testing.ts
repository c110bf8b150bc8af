import { randomBytes } from 'node:crypto'
import type { Plan } from '#platform/access/route-access.ts'
import { readConfig } from '#platform/config/config.ts'
import type { LogLevel } from '#platform/config/variables.ts'
import { createLog } from '#platform/log.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { startResettable } from '#program/testing/start.ts'

/** How {@link startForgelet} starts; everything may be left out. */
export interface StartOptions {
  /** The port of 127.0.0.1 to listen on; any free one unless given. */
  readonly port?: number
  /** The administrator's token; random unless given. */
  readonly rootToken?: string
  /** What the server takes for the present moment, in rows and for expiry. */
  readonly clock?: { now(): Date }
  /** Application settings that differ from their defaults, also after each reset. */
  readonly settings?: Partial<Settings>
  /** A plan for which the server has a license, so that every area of it can be used; `free` unless given. */
  readonly plan?: Plan
  /** Logs go to standard output; `silent` unless given. */
  readonly logLevel?: LogLevel
}

/** A Forgelet of one's own, in this process. */
export interface Forgelet {
  /** Without a slash at the end, such as `http://127.0.0.1:43210`. */
  readonly url: string
  /** A token of the administrator `root`, with the scopes `api`, `sudo` and `admin_mode`. */
  readonly rootToken: string
  /**
   * Back to the state after the start, in milliseconds: `root` with this token, `ghost` and nothing else; ids begin
   * anew. No request should be under way.
   */
  readonly reset: () => Promise<void>
  /** Stops everything and removes the data. Killed processes leave nothing behind either. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a whole Forgelet on a database of its own in a temporary folder, without durability.
 *
 * @throws when the embedded PostgreSQL cannot run here, or the port is taken.
 */
export async function startForgelet(options: StartOptions = {}): Promise<Forgelet> {
  const { port = 0, logLevel = 'silent', clock, settings, plan } = options
  const rootToken = options.rootToken ?? `glpat-${randomBytes(20).toString('base64url')}`
  const config = readConfig({ FORGELET_PORT: String(port), FORGELET_ROOT_TOKEN: rootToken })
  const { running, reset, stop } = await startResettable({
    config,
    log: createLog(logLevel),
    ephemeral: true,
    withPassword: false,
    ...(clock && { clock }),
    ...(settings && { settings }),
    ...(plan && plan !== 'free' && { licensedFor: plan }),
  })
  return { url: running.url, rootToken, reset, stop }
}
