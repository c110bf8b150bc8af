import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { FirstStart } from '#administration/instance/first-start.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { LicensedPlan } from '#platform/db/schema.ts'
import type { OnStatement } from '#platform/db/driver.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import type { Config } from '#platform/config/config.ts'
import type { Clock, Randomness } from '#platform/context.ts'
import type { Transport } from '#platform/http/transport.ts'
import type { Services } from './services.ts'

export interface ServerOptions {
  readonly config: Config
  readonly log: Logger
  /** A temporary data folder without durability, gone at the end. */
  readonly ephemeral?: boolean
  readonly clock?: Clock
  readonly random?: Randomness
  /** A database that is running already, instead of what the configuration says. */
  readonly address?: DatabaseAddress
  /** Whether the administrator gets a password; hashing one takes a moment. */
  readonly withPassword?: boolean
  readonly onStatement?: OnStatement
  /** A plan for which a fresh instance gets a license. */
  readonly licensedFor?: LicensedPlan
  /** For our own tests of what needs a plan: it counts for this process alone, whatever the licenses say. */
  readonly plan?: Plan
  /** For tests of slow and large requests. */
  readonly transport?: Transport
  /**
   * Told what is shown once, and the data folder, as soon as it is true: a start that fails later must not take it
   * along.
   */
  readonly onFirstStart?: (first: FirstStart, dataDir: string) => void
  /** Gives up a start under way. */
  readonly signal?: AbortSignal
}

export interface RunningServer {
  readonly url: string
  readonly app: FastifyInstance
  readonly services: Services
  /** Drains: no new connections, running requests and jobs end (bounded), then the database stops. */
  stop(): Promise<void>
}
