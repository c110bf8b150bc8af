import { unavailable } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { ServerOptions } from '#server-options.ts'
import { AdjustableClock, AdjustableRandomness } from './determinism.ts'
import { testingPages } from './routes.ts'
import { type ResettableServer, startResettable } from './start.ts'

/** A bot under test listens on this machine, with the server. */
export const WITH_THIS_MACHINE: Partial<Settings> = {
  outbound_local_requests_whitelist: ['127.0.0.0/8', '::1'],
}

/** Limits only stand in the way of tests, which can switch on those that they test. */
export const WITHOUT_LIMITS: Partial<Settings> = { notes_create_limit: 0, failed_authentication_limit: 0 }

export interface EphemeralOptions extends Omit<ServerOptions, 'ephemeral' | 'clock' | 'random' | 'pages'> {
  /** Makes ids, times and secrets the same in each run. */
  readonly seed: number | undefined
}

export interface EphemeralServer extends ResettableServer {
  /** The administrator's token. */
  readonly token: string
}

/** Starts a server for the tests of other programs, which they control by requests. */
export async function startEphemeral({ seed, ...options }: EphemeralOptions): Promise<EphemeralServer> {
  const clock = new AdjustableClock({ startsStopped: seed !== undefined })
  const random = new AdjustableRandomness(seed)
  const chosen = options.config.rootToken
  // Tests set the clock years ahead: this token works at any time.
  const token = chosen ?? `glpat-${random.bytes(20).toString('base64url')}`
  let reset = async (): Promise<void> => {
    throw unavailable()
  }
  const server = await startResettable({
    ...options,
    config: { ...options.config, rootToken: token },
    ephemeral: true,
    settings: { ...WITHOUT_LIMITS, ...WITH_THIS_MACHINE },
    clock,
    random,
    onFirstStart: (first, dataDir) => {
      options.onFirstStart?.({ ...first, rootToken: chosen === undefined ? token : undefined }, dataDir)
    },
    pages: testingPages({
      token,
      clock,
      reset: () => reset(),
      seed: (value) => random.reset(value),
    }),
  })
  const rewind = random.remember()
  reset = async () => {
    await server.reset()
    clock.reset()
    rewind()
  }
  return { ...server, reset, token }
}
