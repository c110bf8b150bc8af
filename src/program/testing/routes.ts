import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { digestOf } from '#platform/access/digest.ts'
import { credentialOf } from '#platform/access/credentials.ts'
import { outside } from '#platform/access/route-access.ts'
import { badRequest, unauthorized } from '#platform/refusals.ts'
import { count, flag, integer, moment } from '#platform/http/schema.ts'
import type { AdjustableClock } from './determinism.ts'
import { ByTestedJob, JobRunParameters } from './job-run.ts'
import { runJob } from './run-job.ts'

/** What the requests of tests change. */
export interface TestedServer {
  /** The administrator's token, which whoever asks must have. */
  readonly token: string
  readonly clock: AdjustableClock
  readonly reset: () => Promise<void>
  readonly seed: (seed: number) => void
}

/** Seconds in a hundred years. */
const MAX_SECONDS = 100 * 365.25 * 86_400
const LAST = Date.parse('9999-12-31T23:59:59Z')

const Time = Type.Object({
  now: Type.Optional(moment({ description: 'What the server takes for the present moment.' })),
  advance: Type.Optional(
    integer({ minimum: 0, maximum: MAX_SECONDS, description: 'Seconds to move it on, after `now`.' }),
  ),
  stopped: Type.Optional(flag({ description: 'Whether it stands still.' })),
})
const Seed = Type.Object({ seed: count() })

/** Pages for the tests of other programs, in any language. Only an ephemeral server has them. */
export const testingPages =
  ({ token, clock, reset, seed }: TestedServer): FastifyPluginAsync =>
  async (app) => {
    // One after the other, whoever asks.
    let last: Promise<void> = Promise.resolve()
    const state = () => ({ now: clock.now().toISOString(), stopped: clock.isStopped })
    const expected = digestOf(token)
    const assertTester = ({ method, headers }: FastifyRequest): void => {
      const sent = credentialOf({ method, headers, parameters: {} })
      if (sent === undefined || !sent.digest.equals(expected)) throw unauthorized()
    }
    app.addHook('preHandler', async (request) => assertTester(request))

    app.post('/-/testing/reset', { config: outside }, async (_, reply) => {
      last = last.catch(() => {}).then(reset)
      await last
      return reply.code(204).send()
    })

    app.get('/-/testing/clock', { config: outside }, async () => state())

    app.post<{ Body: Type.Static<typeof Time> }>(
      '/-/testing/clock',
      { config: outside, schema: { body: Time } },
      async ({ body: { now, advance = 0, stopped = clock.isStopped } }) => {
        const wanted = (now === undefined ? clock.now().getTime() : Date.parse(now)) + advance * 1_000
        if (wanted > LAST) throw badRequest('the clock ends with the year 9999')
        clock.set(wanted, stopped)
        return state()
      },
    )

    app.post<{ Params: Type.Static<typeof ByTestedJob>; Body: Type.Static<typeof JobRunParameters> }>(
      '/-/testing/jobs/:id',
      { config: outside, schema: { params: ByTestedJob, body: JobRunParameters } },
      async ({ params, body }, reply) => {
        await runJob(app.services, params.id, body)
        return reply.code(204).send()
      },
    )

    app.post<{ Body: Type.Static<typeof Seed> }>(
      '/-/testing/seed',
      { config: outside, schema: { body: Seed } },
      async ({ body }, reply) => {
        seed(body.seed)
        return reply.code(204).send()
      },
    )
  }
