import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { aboutHook, hookNameOf } from './create-hook.ts'
import type { HookRow } from './entity.ts'

/** Deletes a hook, with what it was to send and what it has sent. @param hook locked by `lockHook` */
export async function deleteHook(tx: Tx, hook: HookRow): Promise<void> {
  await tx.db.deleteFrom('hooks').where('id', '=', hook.id).execute()
  record(tx, { ...aboutHook(hook), name: 'webhook deleted', details: { hook: hookNameOf(hook) } })
}
