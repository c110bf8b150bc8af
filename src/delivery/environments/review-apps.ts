import { sql } from 'kysely'
import type { Static } from 'typebox'
import { daysAfter, dayOf } from '#platform/http/time.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { record } from '#platform/facts/record.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'
import type { ReviewAppFilter } from './parameters.ts'

/** Days after which a review app may be deleted, unless a request says otherwise. */
const OLD = 30
/** Days until those that somebody wants to delete are. Until then, a deployment keeps them. */
const DELAY = 7

/** The stopped review apps of a project that nobody has begun to delete, oldest first. */
export function stoppedReviewApps(
  db: Db | Tx['db'],
  projectId: number,
  { before, limit }: Static<typeof ReviewAppFilter>,
  now: string,
): Promise<EnvironmentRow[]> {
  const latest = before ?? `${daysAfter(dayOf(now), -OLD)}${now.slice(10)}`
  return (
    db
      .selectFrom('environments')
      .select(environmentColumns)
      .where('project_id', '=', projectId)
      // Constants, because the index covers only these.
      .where(sql<boolean>`state = 'stopped' and name like 'review/%'`)
      .where('auto_delete_at', 'is', null)
      .where('deleted_at', 'is', null)
      .where('created_at', '<', latest)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** Has environments deleted in a week. Those that were started or deleted meanwhile stay as they are. */
export async function scheduleDeletion(
  tx: Tx,
  namespace: number,
  environments: readonly EnvironmentRow[],
): Promise<void> {
  const at = `${daysAfter(dayOf(tx.now), DELAY)}${tx.now.slice(10)}`
  const ids = environments.map(({ id }) => id)
  await tx.db
    .selectFrom('environments')
    .select('id')
    .where(isAnyOf('id', ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const scheduled = await tx.db
    .updateTable('environments')
    .set({ auto_delete_at: at })
    .where(isAnyOf('id', ids))
    .where('state', '=', 'stopped')
    .where('deleted_at', 'is', null)
    .returning(['id', 'name'])
    .execute()
  for (const { id, name } of scheduled) {
    record(tx, {
      name: 'environment deletion scheduled',
      namespace,
      target: { type: 'Environment', id },
      details: { environment: name, at },
    })
  }
}
