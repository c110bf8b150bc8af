import { sql } from 'kysely'
import type { UserRemovalStep } from '#identity/users/extension-points.ts'

/** A step of removing a user: their events go with them. */
export const removeEvents: UserRemovalStep = async ({ remover, userId }) => {
  await remover.inBatches(async (tx, limit) => {
    const { numAffectedRows = 0n } = await sql`
      with gone as materialized (select id, recorded_at from events where author_id = ${userId} limit ${limit})
      delete from events e using gone where e.id = gone.id and e.recorded_at = gone.recorded_at`.execute(
      tx.db,
    )
    return Number(numAffectedRows)
  })
  await remover.inBatches(async (tx, limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from event_streams s using (
        select o.project_id, o.kind from event_streams o where o.author_id = ${userId} limit ${limit}) gone
      where s.author_id = ${userId} and s.project_id = gone.project_id and s.kind = gone.kind`.execute(tx.db)
    return Number(numAffectedRows)
  })
}
