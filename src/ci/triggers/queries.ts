import { sql } from 'kysely'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { iso } from '#platform/http/time.ts'
import { notFound } from '#platform/refusals.ts'
import type { TriggerRow } from './entity.ts'

/** As they were created. */
export const triggerOrder: ListOrder = {
  of: 'Ci::Trigger',
  id: 't.id',
  columns: { id: { column: 't.id' } },
  by: 'id',
  sort: 'asc',
}

const owner = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = t.owner_id)`

export const triggersOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('pipeline_triggers as t')
    .select([
      't.id',
      't.description',
      't.token',
      't.owner_id',
      't.created_at',
      't.updated_at',
      't.last_used',
      't.expires_at',
      owner.as('owner'),
    ])
    .where('t.project_id', '=', projectId)

/** @throws 404 `Trigger Not Found` */
export const findTrigger = (db: Db | Tx['db'], projectId: number, id: number): Promise<TriggerRow> =>
  triggersOf(db, projectId)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Trigger'))

/**
 * The trigger of a token in the project that a path names, by its id or its full path. Undefined for anything else, for one that has
 * ended, and for one whose owner is gone.
 */
export async function findTriggerOfToken(
  db: Db,
  { project, token, now }: { readonly project: string; readonly token: string; readonly now: string },
): Promise<{ readonly id: number; readonly project_id: number; readonly owner_id: number } | undefined> {
  const found = await db
    .selectFrom('pipeline_triggers as t')
    .innerJoin('projects as p', 'p.id', 't.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['t.id', 't.project_id', 't.owner_id', 't.expires_at', 'n.full_path'])
    .where('t.token_digest', '=', digestOf(token))
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined || found.owner_id === null) return undefined
  const isNamed =
    String(found.project_id) === project || found.full_path.toLowerCase() === project.toLowerCase()
  const hasEnded = found.expires_at !== null && iso(found.expires_at) <= now
  return isNamed && !hasEnded ? { ...found, owner_id: found.owner_id } : undefined
}
