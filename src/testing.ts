import { randomBytes } from 'node:crypto'
import type { Plan } from '#platform/access/route-access.ts'
import { keepCompiledCode } from '#platform/compiled-code.ts'
import { readConfig } from '#platform/config/config.ts'
import type { LogLevel } from '#platform/config/variables.ts'
import { createLog } from '#platform/log.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { WITH_THIS_MACHINE } from '#program/testing/ephemeral.ts'
import type { JobRun } from '#program/testing/job-run.ts'
import { runJob } from '#program/testing/run-job.ts'
import { startResettable } from '#program/testing/start.ts'

/** How {@link startForgelet} starts. All options are optional. */
export interface StartOptions {
  /** The port of 127.0.0.1 to listen on; by default any free one. */
  readonly port?: number
  /** The administrator's token; by default a random one. */
  readonly rootToken?: string
  /** The server's present moment, for rows and for expiry. */
  readonly clock?: { now(): Date }
  /** Application settings that differ from their defaults; webhooks may reach this machine already. They also hold after each reset. */
  readonly settings?: Partial<Settings>
  /** A plan for which the server gets a license, so that all its areas can be used; by default `free`. */
  readonly plan?: Plan
  /** The level of the logs on standard output; by default `silent`. */
  readonly logLevel?: LogLevel
}

/** A private Forgelet in this process. */
export interface Forgelet {
  /** Without a slash at the end, such as `http://127.0.0.1:43210`. */
  readonly url: string
  /** A token of the administrator `root`, with the scopes `api`, `sudo` and `admin_mode`. */
  readonly rootToken: string
  /**
   * Restores the state after the start, in milliseconds: `root` with this token, `ghost` and nothing else; ids begin
   * anew. No request should be under way.
   */
  readonly reset: () => Promise<void>
  /**
   * Starts or ends a job of a pipeline as a runner would, with a log, artifacts and reports.
   * @throws for a job that is neither pending nor running, and for none
   */
  readonly runJob: (id: number, run: JobRun) => Promise<void>
  /** Stops everything and removes the data. The data is also removed when the process is killed. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a whole Forgelet on a database of its own in a temporary folder, without durability.
 *
 * @throws when the embedded PostgreSQL cannot run here, or the port is taken.
 */
export async function startForgelet(options: StartOptions = {}): Promise<Forgelet> {
  keepCompiledCode()
  const { port = 0, logLevel = 'silent', clock, settings, plan } = options
  const rootToken = options.rootToken ?? `glpat-${randomBytes(20).toString('base64url')}`
  const config = readConfig({ FORGELET_PORT: String(port), FORGELET_ROOT_TOKEN: rootToken })
  const { running, reset, stop } = await startResettable({
    config,
    log: createLog(logLevel),
    ephemeral: true,
    withPassword: false,
    ...(clock && { clock }),
    settings: { ...WITH_THIS_MACHINE, ...settings },
    ...(plan && plan !== 'free' && { licensedFor: plan }),
  })
  return { url: running.url, rootToken, reset, runJob: (id, run) => runJob(running.services, id, run), stop }
}
