import type { FastifyRequest } from 'fastify'
import { unprocessable } from '#platform/refusals.ts'
import { randomUuid } from '#platform/context.ts'
import { noteOutcome, wakeIfDue } from './deliver.ts'
import type { HookOwner, HookRow } from './entity.ts'
import type { HookPayload } from './payloads/kind.ts'
import { logHookEvent } from './log-event.ts'
import type { HookEventRow } from './queries.ts'
import { lockHook } from './queries.ts'
import { type DeliveryResult, type Delivery, sendDelivery, succeeded } from './send-delivery.ts'
import { triggerInLog } from './triggers.ts'

/** How often somebody may send samples, or events again, from a hook. */
const SENDING_LIMIT = { points: 5, seconds: 60 }

/** Counts one more sending of a user from a hook. @throws 429 */
export const countSending = (
  req: FastifyRequest,
  what: 'web_hook_test' | 'web_hook_event_resend',
  hookId: number,
) => req.server.services.limits.take(what, `${hookId} ${req.user().id}`, SENDING_LIMIT)

/** Sends a sample while the caller waits. A hook that is disabled sends it too, and a success enables the hook again. */
export async function sendSample(
  req: FastifyRequest,
  owner: HookOwner,
  hook: HookRow,
  payload: HookPayload,
): Promise<DeliveryResult> {
  const { random, clock } = req.server.services
  const [trigger] = payload.triggers
  const delivery: Delivery = {
    idempotency_key: randomUuid(random),
    uuid: randomUuid(random),
    event: payload.name,
    data: JSON.stringify(payload.data),
  }
  const result = await sendFrom(req, hook, delivery)
  await req.write(async (tx) => {
    const locked = await lockHook(tx, owner, hook.id)
    const { id: payload_id } = await tx.db
      .insertInto('hook_payloads')
      .values({
        uuid: delivery.uuid,
        trigger: triggerInLog(trigger ?? 'system'),
        event: delivery.event,
        data: delivery.data,
        created_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await logHookEvent(tx, locked, { payload_id, idempotency_key: delivery.idempotency_key }, result)
    if (!succeeded(result)) return
    await noteOutcome(tx, locked, true)
    await wakeIfDue(tx, hook.id, clock.now())
  })
  return result
}

/** Sends an event again, with the same idempotency key. @throws 422 when the hook has another URL since */
export async function resend(
  req: FastifyRequest,
  owner: HookOwner,
  hook: HookRow,
  event: HookEventRow,
): Promise<DeliveryResult> {
  if (event.url !== hook.url)
    throw unprocessable('The hook URL has changed, and this event cannot be sent again')
  const { db, clock } = req.server.services
  const { uuid, event: name } = await db
    .selectFrom('hook_payloads')
    .select(['uuid', 'event'])
    .where('id', '=', event.payload_id)
    .executeTakeFirstOrThrow()
  const { idempotency_key, data, payload_id } = event
  const result = await sendFrom(req, hook, { idempotency_key, uuid, event: name, data })
  await req.write(async (tx) => {
    const locked = await lockHook(tx, owner, hook.id)
    await logHookEvent(tx, locked, { payload_id, idempotency_key }, result)
    if (!succeeded(result)) return
    await noteOutcome(tx, locked, true)
    await wakeIfDue(tx, hook.id, clock.now())
  })
  return result
}

function sendFrom(req: FastifyRequest, hook: HookRow, delivery: Delivery): Promise<DeliveryResult> {
  const { outgoing, secrets, clock, config } = req.server.services
  const site = config.externalUrl ?? hook.site
  return sendDelivery(hook, delivery, { outgoing, secrets, site, now: clock.now() })
}

/** @throws 422 when the receiver did not accept a sample */
export function assertDelivered(result: DeliveryResult): void {
  if (succeeded(result)) return
  const { status, response_body } = result
  throw unprocessable(status === null ? response_body : `The receiver answered with the status ${status}`)
}
