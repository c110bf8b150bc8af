import type { FastifyRequest } from 'fastify'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import type { ScheduleRow } from './entity.ts'
import { lockSchedule } from './queries.ts'

/** Whether the caller may read the variables of a schedule, change and delete it. */
export const ownsSchedule = (req: FastifyRequest, { owner_id }: ScheduleRow): boolean =>
  req.project().can('admin_pipeline_schedule') ||
  (owner_id === req.viewer.id && req.project().can('create_pipeline_schedule'))

/** Locks a schedule for the caller's change. @throws 403, 404 */
export async function lockOwnSchedule(req: FastifyRequest, tx: Tx, id: number): Promise<ScheduleRow> {
  const row = await lockSchedule(tx, req.project().container.id, id)
  if (!ownsSchedule(req, row)) throw forbidden()
  return row
}
