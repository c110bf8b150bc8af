import type { RouteAccess, Plan } from '#access/route-access.ts'
import type { LastUsed } from '#access/last-used.ts'
import type { Config } from '#config.ts'
import type { Clock, Randomness } from '#context.ts'
import type { Db } from '#db/pool.ts'
import type { Settings } from '#settings/settings.ts'

/** What every feature may use: made once by the program (or a test), reached as `app.services`. */
export interface Services {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly random: Randomness
  readonly lastUsed: LastUsed
  /** The application settings as they are now, on every process. */
  readonly settings: () => Settings
  /** The plan that the current licence gives. */
  readonly currentPlan: () => Plan
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly services: Services
    readonly db: Db
  }
  interface FastifyContextConfig {
    access?: RouteAccess
  }
}
