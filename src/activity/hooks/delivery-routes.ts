import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { Message } from '#platform/http/schema.ts'
import { HookEventEntity, NO_ANSWER, presentHookEvent, ResendResult } from './event-entity.ts'
import { hookOwnerKinds } from './owners.ts'
import { HookEventFilter, byHookEvent, ByHook, byTrigger } from './parameters.ts'
import { hookEventOrder, hookEventsOf, findHookEvent, findHook } from './queries.ts'
import { sampleOf } from './samples.ts'
import { assertDelivered, resend, sendSample, countSending } from './send-now.ts'

/** The sample of system hooks. */
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

/** The events of webhooks, sending one again, and sending a sample. */
export const hookDeliveryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { settings, clock } = services

  for (const { kind, base, noun, subject, tier, ownerOf } of hookOwnerKinds) {
    app.get(
      `${base}/:hook_id/events`,
      {
        config: reads(subject('read_hook'), tier),
        schema: {
          summary: `List what a webhook of ${noun} has sent`,
          description: 'Newest first, with the answers of the receiver. What is secret is left out.',
          params: ByHook(kind),
          querystring: HookEventFilter,
          response: { 200: Type.Array(HookEventEntity) },
        },
      },
      async (req, reply) => {
        const { id } = await findHook(db, ownerOf(req), req.params.hook_id)
        const rows = await paginate(req, reply, hookEventsOf(db, id, req.query.status), hookEventOrder)
        return rows.map(presentHookEvent)
      },
    )

    app.post(
      `${base}/:hook_id/events/:hook_event_id/resend`,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Send something from a webhook of ${noun} again`,
          params: byHookEvent(kind),
          refuses: [422],
          response: { 201: ResendResult },
        },
      },
      async (req) => {
        const { hook_id, hook_event_id } = req.params
        const hook = await findHook(db, ownerOf(req), hook_id)
        const event = await findHookEvent(db, hook.id, hook_event_id)
        await countSending(req, 'web_hook_event_resend', hook.id)
        const { status } = await resend(req, ownerOf(req), hook, event)
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
        const hook = await findHook(db, ownerOf(req), hook_id)
        await countSending(req, 'web_hook_test', hook.id)
        const context = { ...services, settings: settings(), site: req.site, now: clock.now() }
        const payload = await sampleOf(trigger, { context, owner: ownerOf(req), actorId: req.user().id })
        assertDelivered(await sendSample(req, ownerOf(req), hook, payload))
        return { message: '201 Created' }
      },
    )
  }

  for (const { kind, base, subject, ownerOf } of hookOwnerKinds) {
    if (kind !== 'system') continue
    app.post(
      `${base}/:hook_id`,
      {
        config: writes(subject('admin_hook')),
        schema: {
          summary: 'Send a sample from a webhook of the instance',
          description: 'A success enables a webhook that was disabled.',
          params: ByHook(kind),
          refuses: [422],
          response: { 201: Sample },
        },
      },
      async (req) => {
        const hook = await findHook(db, ownerOf(req), req.params.hook_id)
        await countSending(req, 'web_hook_test', hook.id)
        const payload = { to: 'system hooks', triggers: [], name: 'System Hook', data: SAMPLE } as const
        assertDelivered(await sendSample(req, ownerOf(req), hook, payload))
        return SAMPLE
      },
    )
  }
}
