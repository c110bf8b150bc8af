import { sql } from 'kysely'
import { Type } from 'typebox'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import { recordset } from '#platform/db/recordset.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import { createPipeline } from '../pipelines/create-pipeline.ts'
import { readPipelineProject } from '../pipelines/pipeline-project.ts'
import { nextMoment } from './next-moment.ts'
import { variablesOf } from './variables.ts'
import { switchOff } from './write-schedule.ts'

/** Schedules of one transaction. */
const AT_ONCE = 100

/** Makes the pipeline of a schedule. */
export const playSchedule = defineTask(
  'ci.play-schedule',
  'short',
  Type.Object({
    schedule_id: Type.Integer(),
    /** When it was due, or somebody asked for it. */
    moment: Type.String(),
    /** Who asked for it; by default its owner. */
    user_id: Type.Optional(Type.Integer()),
  }),
  async ({ schedule_id, moment, user_id }, job) => {
    const row = await job.db
      .selectFrom('pipeline_schedules')
      .select(['project_id', 'ref', 'owner_id', 'inputs'])
      .where('id', '=', schedule_id)
      .executeTakeFirst()
    if (row === undefined) return
    const userId = user_id ?? row.owner_id
    if (userId === null || !(await mayRun(job, userId, row.project_id))) {
      // Whoever asked for one run, and may not any more, says nothing about the owner.
      if (user_id === undefined) await job.transact((tx) => switchOff(tx, schedule_id, row.owner_id))
      return
    }
    try {
      await createPipeline(
        job,
        {
          projectId: row.project_id,
          ref: row.ref,
          source: 'schedule',
          userId,
          scheduleId: schedule_id,
          variables: await variablesOf(job, schedule_id),
          inputs: inputsOf(row.inputs),
          origin: `schedule ${schedule_id} ${moment} ${user_id ?? ''}`,
        },
        { keepsErrors: true },
      )
    } catch (error) {
      if (!(error instanceof Refusal) || isPassing(error)) throw error
      job.log.info({ schedule: schedule_id, why: error.message }, 'no pipeline of a schedule')
    }
  },
)

function inputsOf(stored: unknown): Record<string, string> {
  if (typeof stored !== 'object' || stored === null) return {}
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]))
}

/** Whether somebody is active and a member who runs pipelines; in an archived project nobody is asked. */
async function mayRun({ db, clock }: JobContext, userId: number, projectId: number): Promise<boolean> {
  const viewer = await viewerOfUser({ db, clock }, userId, null)
  if (viewer === undefined) return false
  if ((await readPipelineProject(db, projectId)).archived) return true
  return (await authorizeIfAllowed(db, viewer, projectId, 'create_pipeline')) !== undefined
}

/** Adds the jobs of schedules that are due. Each moment is taken once, however many processes there are. */
export const runSchedules = defineTask('ci.run-schedules', 'short', Type.Object({}), async (_, job) => {
  for (let found = AT_ONCE; found === AT_ONCE && !job.signal.aborted;) {
    found = await job.transact(async (tx) => {
      const { rows } = await sql<Due>`
        select id, cron, cron_timezone, next_run_at from pipeline_schedules
          where active and next_run_at <= ${tx.now} order by next_run_at, id limit ${AT_ONCE}
          for no key update skip locked`.execute(tx.db)
      const next = rows.map(({ id, cron, cron_timezone, next_run_at }) => ({
        id,
        next_run_at: nextMoment(cron, cron_timezone, tx.now, next_run_at),
      }))
      await sql`update pipeline_schedules s set next_run_at = n.next_run_at
        from ${recordset('pipeline_schedules', next)} as n where n.id = s.id`.execute(tx.db)
      for (const { id, next_run_at } of rows)
        await enqueue(tx, playSchedule, { schedule_id: id, moment: next_run_at })
      return rows.length
    })
  }
})

interface Due {
  readonly id: number
  readonly cron: string
  readonly cron_timezone: string
  readonly next_run_at: string
}

export const everyMinute = scheduled('* * * * *', runSchedules, {})
