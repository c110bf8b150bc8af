import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { PipelineListed, presentPipelineListed } from '#code/pipelines/entity.ts'
import { pipelinesOf } from '#code/pipelines/queries.ts'
import { tagOf } from '#code/git/names.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, Message, NoContent } from '#platform/http/schema.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { forbidden } from '#platform/refusals.ts'
import { pipelineOrder } from '../pipelines/order.ts'
import { mayNotRunOn, rightsToRun } from '../pipelines/rights-to-run.ts'
import { siteOf } from '../pipelines/site-of.ts'
import { wholeName } from '../pipelines/whole-name.ts'
import { PipelineSchedule, PipelineScheduleDetail, presentSchedule } from './entity.ts'
import { lockOwnSchedule, ownsSchedule } from './own-schedule.ts'
import { BySchedule, NewSchedule, Pages, ScheduleChanges, ScheduleFilter } from './parameters.ts'
import { findSchedule, lastPipelineOf, lockSchedule, scheduleOrder, schedulesOf } from './queries.ts'
import { playSchedule } from './run-schedules.ts'
import { variablesOf } from './variables.ts'
import { createSchedule, deleteSchedule, takeOwnership, updateSchedule } from './write-schedule.ts'

/** Pipelines that are made by themselves, again and again. */
export const pipelineScheduleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const collection = '/projects/:id/pipeline_schedules'
  const one = `${collection}/:pipeline_schedule_id` as const

  const present = async (req: FastifyRequest, id: number): Promise<Static<typeof PipelineScheduleDetail>> => {
    const row = await findSchedule(db, req.project().container.id, id)
    return {
      ...presentSchedule(row, req.site),
      last_pipeline: (await lastPipelineOf(db, id)) ?? null,
      ...(ownsSchedule(req, row) && { variables: await variablesOf(services, id) }),
    }
  }
  const nameIn = (whole: string) => whole.replace(/^refs\/(?:heads|tags)\//, '')
  /** @param whole the whole name of a branch or tag */
  const mayRunOn = async (req: FastifyRequest, whole: string): Promise<boolean> => {
    const caller = { authorized: req.project(), viewer: req.viewer }
    return (await rightsToRun(db, caller, nameIn(whole), tagOf(whole) !== undefined)).mayRun
  }
  /** The whole name of a branch or tag that the caller may run pipelines for. @throws 400 */
  const runnable = async (req: FastifyRequest, ref: string): Promise<string> => {
    const whole = await wholeName(req, ref)
    if (!(await mayRunOn(req, whole))) throw mayNotRunOn(nameIn(whole))
    return whole
  }

  app.get(
    collection,
    {
      config: reads(project('read_pipeline_schedule')),
      schema: {
        summary: 'List the pipeline schedules of a project',
        params: ById,
        querystring: ScheduleFilter,
        response: { 200: Type.Array(PipelineSchedule) },
      },
    },
    async (req, reply) => {
      const { scope } = req.query
      const all = schedulesOf(db, req.project().container.id)
      const list = scope === undefined ? all : all.where('s.active', '=', scope === 'active')
      const rows = await paginate(req, reply, list, scheduleOrder)
      return rows.map((row) => presentSchedule(row, req.site))
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_pipeline_schedule')),
      schema: {
        summary: 'Get a pipeline schedule',
        description: 'With its variables for its owner and for Maintainers.',
        params: BySchedule,
        response: { 200: PipelineScheduleDetail },
      },
    },
    (req) => present(req, req.params.pipeline_schedule_id),
  )

  app.get(
    `${one}/pipelines`,
    {
      config: reads(project('read_pipeline_schedule')),
      schema: {
        summary: 'List the pipelines of a schedule',
        params: BySchedule,
        querystring: Pages,
        response: { 200: Type.Array(PipelineListed) },
      },
    },
    async (req, reply) => {
      const { id } = await findSchedule(db, req.project().container.id, req.params.pipeline_schedule_id)
      const list = pipelinesOf(db, req.project().container.id).where('p.schedule_id', '=', id)
      const rows = await paginate(req, reply, list, pipelineOrder)
      return rows.map((row) => presentPipelineListed(row, siteOf(req)))
    },
  )

  app.post(
    collection,
    {
      config: writes(project('create_pipeline_schedule')),
      schema: {
        summary: 'Create a pipeline schedule',
        description: 'It runs with the rights of its owner, who is the caller; at most every five minutes.',
        params: ById,
        body: NewSchedule,
        response: { 201: PipelineScheduleDetail },
      },
    },
    async (req) => {
      const ref = await runnable(req, req.body.ref)
      const { container } = req.project()
      const most = services.settings().ci_pipeline_schedules
      return present(req, await req.write((tx) => createSchedule(tx, container, { ...req.body, ref }, most)))
    },
  )

  app.put(
    one,
    {
      config: writes(project('create_pipeline_schedule')),
      schema: {
        summary: 'Change a pipeline schedule',
        description: 'For its owner and for Maintainers.',
        params: BySchedule,
        body: ScheduleChanges,
        response: { 200: PipelineScheduleDetail },
      },
    },
    async (req) => {
      const { ref, ...rest } = req.body
      const whole = ref === undefined ? undefined : await runnable(req, ref)
      const id = req.params.pipeline_schedule_id
      // Its branch may be protected by now.
      const known = await findSchedule(db, req.project().container.id, id)
      if (whole === undefined && !(await mayRunOn(req, known.ref))) throw forbidden()
      await req.write(async (tx) => {
        const row = await lockOwnSchedule(req, tx, id)
        const changes = { ...rest, ...(whole !== undefined && { ref: whole }) }
        await updateSchedule(tx, req.project().container, row, changes)
      })
      return present(req, id)
    },
  )

  app.post(
    `${one}/take_ownership`,
    {
      config: writes(project('admin_pipeline_schedule')),
      schema: {
        summary: 'Make a pipeline schedule your own',
        description: 'It runs with your rights from now on.',
        params: BySchedule,
        response: { 201: PipelineScheduleDetail },
      },
    },
    async (req) => {
      const { container } = req.project()
      const id = req.params.pipeline_schedule_id
      await req.write(async (tx) => takeOwnership(tx, container, await lockSchedule(tx, container.id, id)))
      return present(req, id)
    },
  )

  app.post(
    `${one}/play`,
    {
      config: writes(project('create_pipeline')),
      schema: {
        summary: 'Run a pipeline schedule now',
        description:
          'In the background, with your rights, which have to do for its branch. When it runs next does not change.',
        params: BySchedule,
        response: { 201: Message },
      },
    },
    async (req) => {
      const { id, ref } = await findSchedule(db, req.project().container.id, req.params.pipeline_schedule_id)
      if (!(await mayRunOn(req, ref))) throw forbidden()
      const user_id = req.user().id
      await req.write((tx) => enqueue(tx, playSchedule, { schedule_id: id, moment: tx.now, user_id }))
      return { message: '201 Created' }
    },
  )

  app.delete(
    one,
    {
      config: writes(project('create_pipeline_schedule')),
      schema: {
        summary: 'Delete a pipeline schedule',
        description: 'For its owner and for Maintainers. Its pipelines stay.',
        params: BySchedule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const id = req.params.pipeline_schedule_id
      await req.write(async (tx) =>
        deleteSchedule(tx, req.project().container, await lockOwnSchedule(req, tx, id)),
      )
    },
  )
}
