import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { Message } from '#platform/http/schema.ts'
import { HookDelivery, NO_ANSWER, presentAttempt, Resent } from './attempt-entity.ts'
import { hookPlaces } from './homes.ts'
import { AttemptFilter, byAttempt, byHook, byTrigger } from './parameters.ts'
import { attemptOrder, attemptsOf, findAttempt, findHook } from './queries.ts'
import { sampleOf } from './samples.ts'
import { assertTaken, resend, sendSample, takeTurn } from './send-now.ts'

/** What hooks of the instance are sent as a test. */
const SAMPLE = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@example.com',
} as const

const Sample = Type.Object({
  event_name: Type.String(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  owner_name: Type.String(),
  owner_email: Type.String(),
})

/** What webhooks have sent, samples, and sending something again. */
export const hookDeliveryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { settings, clock } = services

  for (const { kind, base, noun, subject, tier, home } of hookPlaces) {
    app.get(
      `${base}/:hook_id/events`,
      {
        config: reads(subject('read_hook'), tier),
        schema: {
          summary: `List what a webhook of ${noun} has sent`,
          description: 'Newest first, with the answers of the receiver. What is secret is left out.',
          params: byHook(kind),
          querystring: AttemptFilter,
          response: { 200: Type.Array(HookDelivery) },
        },
      },
      async (req, reply) => {
        const { id } = await findHook(db, home(req), req.params.hook_id)
        const rows = await paginate(req, reply, attemptsOf(db, id, req.query.status), attemptOrder)
        return rows.map(presentAttempt)
      },
    )

    app.post(
      `${base}/:hook_id/events/:hook_event_id/resend`,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Send something from a webhook of ${noun} again`,
          params: byAttempt(kind),
          refuses: [422],
          response: { 201: Resent },
        },
      },
      async (req) => {
        const { hook_id, hook_event_id } = req.params
        const hook = await findHook(db, home(req), hook_id)
        const before = await findAttempt(db, hook.id, hook_event_id)
        await takeTurn(req, 'web_hook_event_resend', hook.id)
        const { status } = await resend(req, home(req), hook, before)
        return { response_status: status ?? NO_ANSWER }
      },
    )

    if (kind === 'system') continue
    app.post(
      `${base}/:hook_id/test/:trigger`,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Send a sample from a webhook of ${noun}`,
          description: 'A success enables a webhook that was disabled.',
          params: byTrigger(kind),
          refuses: [422],
          response: { 201: Message },
        },
      },
      async (req) => {
        const { hook_id, trigger } = req.params
        const hook = await findHook(db, home(req), hook_id)
        await takeTurn(req, 'web_hook_test', hook.id)
        const context = { ...services, settings: settings(), site: req.site, now: clock.now() }
        const event = await sampleOf(trigger, { context, home: home(req), actorId: req.user().id })
        assertTaken(await sendSample(req, home(req), hook, event))
        return { message: '201 Created' }
      },
    )
  }

  for (const { kind, base, subject, home } of hookPlaces) {
    if (kind !== 'system') continue
    app.post(
      `${base}/:hook_id`,
      {
        config: writes(subject('admin_hook')),
        schema: {
          summary: 'Send a sample from a webhook of the instance',
          description: 'A success enables a webhook that was disabled.',
          params: byHook(kind),
          refuses: [422],
          response: { 201: Sample },
        },
      },
      async (req) => {
        const hook = await findHook(db, home(req), req.params.hook_id)
        await takeTurn(req, 'web_hook_test', hook.id)
        const event = { to: 'system', triggers: [], name: 'System Hook', data: SAMPLE } as const
        assertTaken(await sendSample(req, home(req), hook, event))
        return SAMPLE
      },
    )
  }
}
