import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { changesBetween, type FieldChanges } from '#platform/facts/changes.ts'
import { assertBelow } from '../assert-below.ts'
import type { ScheduleRow } from './entity.ts'
import { checkTimes, nextMoment } from './next-moment.ts'

export interface ScheduledProject {
  readonly id: number
  readonly namespace_id: number
}

export interface NewSchedule {
  readonly description: string
  /** The whole name. */
  readonly ref: string
  readonly cron: string
  readonly cron_timezone?: string
  readonly active?: boolean
  readonly inputs?: Readonly<Record<string, string>>
}
export type ScheduleChanges = Partial<NewSchedule>

const aboutSchedule = (
  project: ScheduledProject,
  { id, description }: Pick<ScheduleRow, 'id' | 'description'>,
) => ({
  namespace: project.namespace_id,
  target: { type: 'PipelineSchedule', id },
  details: { description },
})

/** Makes a schedule, which its author owns. @param most of its project; 0 means no limit @returns its id. @throws 400 for a pattern or time zone that is none, and past the maximum */
export async function createSchedule(
  tx: Tx,
  project: ScheduledProject,
  { description, ref, cron, cron_timezone = 'UTC', active = true, inputs = {} }: NewSchedule,
  most: number,
): Promise<number> {
  checkTimes(cron, cron_timezone)
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `pipeline schedules of ${project.id}`)
  const { count } = await tx.db
    .selectFrom('pipeline_schedules')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  assertBelow(most, count, 'pipeline schedules')
  const { id } = await tx.db
    .insertInto('pipeline_schedules')
    .values({
      project_id: project.id,
      description,
      ref,
      cron,
      cron_timezone,
      active,
      inputs: JSON.stringify(inputs),
      next_run_at: nextMoment(cron, cron_timezone, tx.now),
      owner_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, { name: 'pipeline schedule created', ...aboutSchedule(project, { id, description }) })
  return id
}

/** Changes what differs. @param before the schedule, locked. @throws 400 for a pattern or time zone that is none */
export async function updateSchedule(
  tx: Tx,
  project: ScheduledProject,
  before: ScheduleRow,
  { inputs, ...wanted }: ScheduleChanges,
): Promise<void> {
  const { description, ref, cron, cron_timezone, active } = before
  const old = { description, ref, cron, cron_timezone, active }
  const after = { ...old, ...wanted }
  checkTimes(after.cron, after.cron_timezone)
  const changed = changesBetween(old, after)
  if (Object.keys(changed).length === 0 && inputs === undefined) return
  const isTimedAnew = 'cron' in changed || 'cron_timezone' in changed || 'active' in changed
  await tx.db
    .updateTable('pipeline_schedules')
    .set({
      ...after,
      ...(inputs !== undefined && { inputs: JSON.stringify(inputs) }),
      // A run that is due is not lost by another description.
      ...(isTimedAnew && { next_run_at: nextMoment(after.cron, after.cron_timezone, tx.now) }),
      updated_at: tx.now,
    })
    .where('id', '=', before.id)
    .execute()
  recordChange(
    tx,
    project,
    { ...before, ...after },
    {
      fields: [...Object.keys(changed), ...(inputs === undefined ? [] : ['inputs'])],
      changes: { ...changed, ...(inputs !== undefined && { inputs: { from: null, to: null } }) },
    },
  )
}

function recordChange(
  tx: Tx,
  project: ScheduledProject,
  row: Pick<ScheduleRow, 'id' | 'description'>,
  changes: FieldChanges,
): void {
  const about = aboutSchedule(project, row)
  record(tx, { name: 'pipeline schedule changed', ...about, details: { ...about.details, ...changes } })
}

/** Makes a locked schedule the author's own: it runs with their rights from now on. */
export async function takeOwnership(tx: Tx, project: ScheduledProject, row: ScheduleRow): Promise<void> {
  if (tx.author === null || row.owner_id === tx.author.id) return
  await tx.db
    .updateTable('pipeline_schedules')
    .set({ owner_id: tx.author.id, updated_at: tx.now })
    .where('id', '=', row.id)
    .execute()
  const owner_id = { from: row.owner_id === null ? null : String(row.owner_id), to: String(tx.author.id) }
  recordChange(tx, project, row, { fields: ['owner_id'], changes: { owner_id } })
}

/** Switches a schedule off whose owner may do nothing any more, unless somebody has made it their own meanwhile. */
export async function switchOff(tx: Tx, id: number, owner: number | null): Promise<void> {
  const row = await tx.db
    .updateTable('pipeline_schedules as s')
    .from('projects as p')
    .set({ active: false, updated_at: tx.now })
    .whereRef('p.id', '=', 's.project_id')
    .where('s.id', '=', id)
    .where('s.owner_id', 'is not distinct from', owner)
    .where('s.active', '=', true)
    .returning(['s.id', 's.description', 's.project_id', 'p.project_namespace_id as namespace_id'])
    .executeTakeFirst()
  if (row === undefined) return
  const project = { id: row.project_id, namespace_id: row.namespace_id }
  const changes = changesBetween({ active: true }, { active: false })
  recordChange(tx, project, row, { fields: Object.keys(changes), changes })
}

/** Deletes a locked schedule. Its pipelines stay. */
export async function deleteSchedule(tx: Tx, project: ScheduledProject, row: ScheduleRow): Promise<void> {
  await tx.db.deleteFrom('pipeline_schedules').where('id', '=', row.id).execute()
  record(tx, { name: 'pipeline schedule deleted', ...aboutSchedule(project, row) })
}
