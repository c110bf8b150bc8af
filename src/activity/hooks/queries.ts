import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { HookOwner, HookRow, HookValueRow } from './entity.ts'

/** As they were created. */
export const hookOrder: ListOrder = {
  of: 'Hook',
  id: 'h.id',
  columns: { id: { column: 'h.id' } },
  by: 'id',
  sort: 'asc',
}

const columns = [
  'h.id',
  'h.uuid',
  'h.namespace_id',
  'h.name',
  'h.description',
  'h.url',
  'h.token',
  'h.signing_token',
  'h.triggers',
  'h.enable_ssl_verification',
  'h.push_events_branch_filter',
  'h.custom_webhook_template',
  'h.site',
  'h.failures',
  'h.paused_until',
  'h.created_at',
  'h.updated_at',
] as const

const values = sql<HookValueRow[]>`coalesce((
  select json_agg(json_build_object('kind', v.kind, 'key', v.key, 'sealed', encode(v.sealed, 'base64')) order by v.key)
  from hook_values v where v.hook_id = h.id), '[]')`

/** All hooks, with the keys of their secret values. */
export const hooks = (db: Db | Tx['db']) =>
  db
    .selectFrom('hooks as h')
    .select(columns)
    .select([
      sql<HookRow['branch_filter_strategy']>`h.branch_filter_strategy`.as('branch_filter_strategy'),
      values.as('values'),
    ])

/** The hooks of a project, of a group or of the instance. */
export const hooksOf = (db: Db | Tx['db'], owner: HookOwner) => hooks(db).where(isOwnedBy(owner))

const isOwnedBy = ({ namespaceId }: HookOwner): RawBuilder<boolean> =>
  namespaceId === null ? sql<boolean>`h.namespace_id is null` : sql<boolean>`h.namespace_id = ${namespaceId}`

/** @throws 404 */
export async function findHook(db: Db | Tx['db'], owner: HookOwner, id: number): Promise<HookRow> {
  return hooksOf(db, owner)
    .where('h.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}

/** Locks a hook for a change, or with `deletes` for its removal. @throws 404 */
export async function lockHook(tx: Tx, owner: HookOwner, id: number, deletes = false): Promise<HookRow> {
  // First the row alone: what belongs to it may have changed while this waited for the lock.
  const row = tx.db.selectFrom('hooks as h').select('h.id').where('h.id', '=', id).where(isOwnedBy(owner))
  if ((await (deletes ? row.forUpdate() : row.forNoKeyUpdate()).executeTakeFirst()) === undefined) {
    throw notFound()
  }
  return findHook(tx.db, owner, id)
}

/** An event in the log of a hook: a delivery as it was tried once. The table calls it an attempt. */
export type HookEventRow = Awaited<ReturnType<ReturnType<typeof hookEventsOf>['executeTakeFirstOrThrow']>>

/** Newest first. */
export const hookEventOrder: ListOrder = {
  of: 'HookEvent',
  id: 'a.id',
  columns: { id: { column: 'a.id' } },
  by: 'id',
  sort: 'desc',
}

const statusRanges = {
  successful: [200, 299],
  client_failure: [400, 499],
  server_failure: [500, 599],
} as const

/** The events in the log of a hook. @param status of the answer, or a range of them by its name */
export function hookEventsOf(db: Db | Tx['db'], hookId: number, status?: number | keyof typeof statusRanges) {
  const [from, to] = typeof status === 'string' ? statusRanges[status] : [status, status]
  return db
    .selectFrom('hook_attempts as a')
    .innerJoin('hook_payloads as p', 'p.id', 'a.payload_id')
    .select([
      'a.id',
      'a.payload_id',
      'a.idempotency_key',
      'a.url',
      'a.request_headers',
      'a.response_headers',
      'a.response_body',
      'a.response_status',
      'a.seconds',
      'p.trigger',
      'p.data',
    ])
    .where('a.hook_id', '=', hookId)
    .$if(from !== undefined, (q) => q.where(sql<boolean>`a.response_status between ${from} and ${to}`))
}

/** @throws 404 */
export async function findHookEvent(db: Db, hookId: number, id: number): Promise<HookEventRow> {
  return hookEventsOf(db, hookId)
    .where('a.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}
