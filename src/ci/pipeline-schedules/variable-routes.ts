import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { PipelineVariable } from '#code/pipelines/entity.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { forbidden } from '#platform/refusals.ts'
import { mayGiveVariables } from '../pipelines/may-give-variables.ts'
import { BySchedule, ByScheduleVariable, NewScheduleVariable, ScheduleVariableChanges } from './parameters.ts'
import { findSchedule } from './queries.ts'
import { lockOwnSchedule, ownsSchedule } from './own-schedule.ts'
import { addVariable, changeVariable, removeVariable, sealValue, variableOf } from './variables.ts'

/** Variables that the pipelines of a schedule start with. */
export const scheduleVariableRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const collection = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables'
  const one = `${collection}/:key` as const
  const config = writes(project('create_pipeline_schedule'))
  const forWhom = 'For the owner of the schedule and for Maintainers.'

  const own = async (req: FastifyRequest, id: number): Promise<number> => {
    const row = await findSchedule(db, req.project().container.id, id)
    if (!ownsSchedule(req, row)) throw forbidden()
    return row.id
  }

  /** @throws 403 for those who may not give variables to pipelines */
  const assertMayGive = (req: FastifyRequest) => {
    if (!mayGiveVariables(req.project()))
      throw forbidden('The current user is not authorized to set pipeline schedule variables')
  }

  app.get(
    one,
    {
      config: reads(project('read_pipeline_schedule')),
      schema: {
        summary: 'Get a variable of a pipeline schedule',
        description: forWhom,
        params: ByScheduleVariable,
        response: { 200: PipelineVariable },
      },
    },
    async (req) => variableOf(services, await own(req, req.params.pipeline_schedule_id), req.params.key),
  )

  app.post(
    collection,
    {
      config,
      schema: {
        summary: 'Create a variable of a pipeline schedule',
        description: forWhom,
        params: BySchedule,
        body: NewScheduleVariable,
        response: { 201: PipelineVariable },
      },
    },
    async (req) => {
      assertMayGive(req)
      const { key, value, variable_type } = req.body
      const sealed = await sealValue(services, value)
      const id = req.params.pipeline_schedule_id
      const most = services.settings().ci_pipeline_schedule_variables
      await req.write(async (tx) => {
        await lockOwnSchedule(req, tx, id)
        await addVariable(tx, id, { key, sealed, variable_type }, most)
      })
      return variableOf(services, id, key)
    },
  )

  app.put(
    one,
    {
      config,
      schema: {
        summary: 'Change a variable of a pipeline schedule',
        description: forWhom,
        params: ByScheduleVariable,
        body: ScheduleVariableChanges,
        response: { 200: PipelineVariable },
      },
    },
    async (req) => {
      assertMayGive(req)
      const { pipeline_schedule_id: id, key } = req.params
      const { value, variable_type } = req.body
      const sealed = value === undefined ? undefined : await sealValue(services, value)
      await req.write(async (tx) => {
        await lockOwnSchedule(req, tx, id)
        await changeVariable(tx, id, { key, variable_type, ...(sealed && { sealed }) })
      })
      return variableOf(services, id, key)
    },
  )

  app.delete(
    one,
    {
      config,
      schema: {
        summary: 'Delete a variable of a pipeline schedule',
        description: forWhom,
        params: ByScheduleVariable,
        response: { 202: PipelineVariable },
      },
    },
    async (req) => {
      const { pipeline_schedule_id, key } = req.params
      const id = await own(req, pipeline_schedule_id)
      const variable = await variableOf(services, id, key)
      await req.write(async (tx) => {
        await lockOwnSchedule(req, tx, id)
        await removeVariable(tx, id, key)
      })
      return variable
    },
  )
}
