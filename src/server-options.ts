import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Logger } from 'pino'
import type { FirstStart } from '#administration/instance/first-start.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { LicensedPlan } from '#platform/db/schema.ts'
import type { OnStatement } from '#platform/db/driver.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import type { Config } from '#platform/config/config.ts'
import type { Clock, Randomness } from '#platform/context.ts'
import type { Telemetry } from '#platform/telemetry/telemetry.ts'
import type { Transport } from '#platform/http/transport.ts'
import type { Services } from './services.ts'

export interface ServerOptions {
  readonly config: Config
  readonly log: Logger
  /** Use a temporary data folder without durability, and remove it at the end. */
  readonly ephemeral?: boolean
  readonly clock?: Clock
  readonly random?: Randomness
  /** A database that is already running; it replaces the one of the configuration. */
  readonly address?: DatabaseAddress
  /** Whether the administrator gets a password. Hashing one takes a moment. */
  readonly withPassword?: boolean
  readonly onStatement?: OnStatement
  /** Where traces and metrics go. It is closed with the server. */
  readonly telemetry?: Telemetry | undefined
  /** A plan; a fresh instance gets a license for it. */
  readonly licensedFor?: LicensedPlan
  /** For our own tests of licensed areas: this plan counts for this process alone, whatever the licenses say. */
  readonly plan?: Plan
  /** For our own tests: whether this process takes jobs; it does unless told otherwise. */
  readonly jobs?: boolean
  /** Pages besides those of the features. */
  readonly pages?: FastifyPluginAsync
  /** For tests of slow and large requests. */
  readonly transport?: Transport
  /**
   * Receives the secrets that are shown once, and the data folder. It is called as soon as they exist, so that a
   * start that fails later does not lose them.
   */
  readonly onFirstStart?: (first: FirstStart, dataDir: string) => void
  /** Aborts a start that is under way. */
  readonly signal?: AbortSignal
}

export interface RunningServer {
  readonly url: string
  readonly app: FastifyInstance
  readonly services: Services
  /** Accepts no new connections, waits (bounded) for running requests and jobs, then stops the database. */
  stop(): Promise<void>
}
