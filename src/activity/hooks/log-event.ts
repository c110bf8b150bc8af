import type { Tx } from '#platform/db/transaction.ts'
import { randomUuid } from '#platform/context.ts'
import type { HookRow } from './entity.ts'
import type { DeliveryResult } from './send-delivery.ts'

interface PayloadReference {
  readonly payload_id: number
  readonly idempotency_key: string
}

/** Adds an event to the log of a hook: what was sent, and what came back. @returns its id */
export async function logHookEvent(
  tx: Tx,
  hook: Pick<HookRow, 'id'>,
  { payload_id, idempotency_key }: PayloadReference,
  result: DeliveryResult,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('hook_attempts')
    .values({
      hook_id: hook.id,
      payload_id,
      idempotency_key,
      url: result.url,
      request_headers: JSON.stringify(result.request_headers),
      response_headers: JSON.stringify(result.response_headers),
      response_body: result.response_body,
      response_status: result.status,
      seconds: result.seconds,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The same for a payload that was not sent at all. @param reason stands in place of the answer */
export const logUnsent = (tx: Tx, hook: Pick<HookRow, 'id' | 'url'>, payload_id: number, reason: string) =>
  logHookEvent(
    tx,
    hook,
    { payload_id, idempotency_key: randomUuid(tx.random) },
    {
      url: hook.url,
      request_headers: {},
      response_headers: {},
      response_body: reason,
      status: null,
      seconds: 0,
    },
  )
