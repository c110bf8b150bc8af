import type { Tx } from '#platform/db/transaction.ts'
import { randomUuid } from '#platform/context.ts'
import type { HookRow } from './entity.ts'
import type { Attempt } from './send-delivery.ts'

interface SentPayload {
  readonly payload_id: number
  readonly idempotency_key: string
}

/** Notes what was sent to a hook, and what came back. @returns the id; undefined when the hook is gone */
export async function logAttempt(
  tx: Tx,
  hook: Pick<HookRow, 'id'>,
  { payload_id, idempotency_key }: SentPayload,
  attempt: Attempt,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('hook_attempts')
    .values({
      hook_id: hook.id,
      payload_id,
      idempotency_key,
      url: attempt.url,
      request_headers: JSON.stringify(attempt.request_headers),
      response_headers: JSON.stringify(attempt.response_headers),
      response_body: attempt.response_body,
      response_status: attempt.status,
      seconds: attempt.seconds,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The same for what was not sent at all. */
export const logUnsent = (tx: Tx, hook: Pick<HookRow, 'id' | 'url'>, payload_id: number, because: string) =>
  logAttempt(
    tx,
    hook,
    { payload_id, idempotency_key: randomUuid(tx.random) },
    {
      url: hook.url,
      request_headers: {},
      response_headers: {},
      response_body: because,
      status: null,
      seconds: 0,
    },
  )
