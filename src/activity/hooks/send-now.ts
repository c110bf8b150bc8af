import type { FastifyRequest } from 'fastify'
import { unprocessable } from '#platform/refusals.ts'
import { randomUuid } from '#platform/context.ts'
import { noteOutcome, wakeIfDue } from './deliver.ts'
import type { HookHome, HookRow } from './entity.ts'
import type { HookEvent } from './events/kind.ts'
import { logAttempt } from './log-attempt.ts'
import type { AttemptRow } from './queries.ts'
import { lockHook } from './queries.ts'
import { type Attempt, type Delivery, sendDelivery, succeeded } from './send-delivery.ts'
import { loggedTrigger } from './triggers.ts'

/** How often somebody may send samples, or something again, for a hook. */
const FEW = { points: 5, seconds: 60 }

/** Counts against the limit of a hook and its user. @throws 429 */
export const takeTurn = (
  req: FastifyRequest,
  what: 'web_hook_test' | 'web_hook_event_resend',
  hookId: number,
) => req.server.services.limits.take(what, `${hookId} ${req.user().id}`, FEW)

/** Sends an event while the caller waits, also from a hook that is disabled: a success enables it again. */
export async function sendSample(
  req: FastifyRequest,
  home: HookHome,
  hook: HookRow,
  event: HookEvent,
): Promise<Attempt> {
  const { random, clock } = req.server.services
  const [trigger] = event.triggers
  const delivery: Delivery = {
    idempotency_key: randomUuid(random),
    uuid: randomUuid(random),
    event: event.name,
    data: JSON.stringify(event.data),
  }
  const attempt = await sendFrom(req, hook, delivery)
  await req.write(async (tx) => {
    const locked = await lockHook(tx, home, hook.id)
    const { id: payload_id } = await tx.db
      .insertInto('hook_payloads')
      .values({
        uuid: delivery.uuid,
        trigger: loggedTrigger(trigger ?? 'system'),
        event: delivery.event,
        data: delivery.data,
        created_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await logAttempt(tx, locked, { payload_id, idempotency_key: delivery.idempotency_key }, attempt)
    if (!succeeded(attempt)) return
    await noteOutcome(tx, locked, true)
    await wakeIfDue(tx, hook.id, clock.now())
  })
  return attempt
}

/** Sends something again, with the same idempotency key. @throws 422 when the hook has another URL since */
export async function resend(
  req: FastifyRequest,
  home: HookHome,
  hook: HookRow,
  before: AttemptRow,
): Promise<Attempt> {
  if (before.url !== hook.url)
    throw unprocessable('The hook URL has changed, and this event cannot be sent again')
  const { db, clock } = req.server.services
  const { uuid, event } = await db
    .selectFrom('hook_payloads')
    .select(['uuid', 'event'])
    .where('id', '=', before.payload_id)
    .executeTakeFirstOrThrow()
  const { idempotency_key, data, payload_id } = before
  const attempt = await sendFrom(req, hook, { idempotency_key, uuid, event, data })
  await req.write(async (tx) => {
    const locked = await lockHook(tx, home, hook.id)
    await logAttempt(tx, locked, { payload_id, idempotency_key }, attempt)
    if (!succeeded(attempt)) return
    await noteOutcome(tx, locked, true)
    await wakeIfDue(tx, hook.id, clock.now())
  })
  return attempt
}

function sendFrom(req: FastifyRequest, hook: HookRow, delivery: Delivery): Promise<Attempt> {
  const { outgoing, secrets, clock, config } = req.server.services
  const site = config.externalUrl ?? hook.site
  return sendDelivery(hook, delivery, { outgoing, secrets, site, now: clock.now() })
}

/** @throws 422 when the receiver did not take a sample */
export function assertTaken(attempt: Attempt): void {
  if (succeeded(attempt)) return
  const { status, response_body } = attempt
  throw unprocessable(status === null ? response_body : `The receiver answered with the status ${status}`)
}
