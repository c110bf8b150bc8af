import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, integer, moment, NoContent, nullable, text } from '#platform/http/schema.ts'
import { PipelineTrigger, presentTrigger, type TriggerRow } from './entity.ts'
import { findTrigger, triggerOrder, triggersOf } from './queries.ts'
import { createTrigger, deleteTrigger, newToken, openToken, updateTrigger } from './write-trigger.ts'

const ByTrigger = Type.Object({ ...ById.properties, trigger_id: integer() })
const Pages = Type.Object(pageParameters)
const description = text({ filled: true })
const NewTrigger = Type.Object({
  description,
  expires_at: Type.Optional(nullable(moment({ description: 'By default it never ends.' }))),
})
const TriggerChanges = Type.Object({ description: Type.Optional(description) })

/** Tokens that start pipelines. */
export const triggerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const collection = '/projects/:id/triggers'
  const one = `${collection}/:trigger_id` as const

  const present = async (req: FastifyRequest, row: TriggerRow) =>
    presentTrigger(row, await openToken(services, row), { site: req.site, viewerId: req.viewer.id })
  const find = (req: FastifyRequest, id: number) => findTrigger(db, req.project().container.id, id)

  app.get(
    collection,
    {
      config: reads(project('read_pipeline_trigger')),
      schema: {
        summary: 'List the pipeline triggers of a project',
        params: ById,
        querystring: Pages,
        response: { 200: Type.Array(PipelineTrigger) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, triggersOf(db, req.project().container.id), triggerOrder)
      return Promise.all(rows.map((row) => present(req, row)))
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_pipeline_trigger')),
      schema: { summary: 'Get a pipeline trigger', params: ByTrigger, response: { 200: PipelineTrigger } },
    },
    async (req) => present(req, await find(req, req.params.trigger_id)),
  )

  app.post(
    collection,
    {
      config: writes(project('admin_pipeline_trigger')),
      schema: {
        summary: 'Create a pipeline trigger',
        description: 'Pipelines that it starts run with the rights of its owner, who is the caller.',
        params: ById,
        body: NewTrigger,
        response: { 201: PipelineTrigger },
      },
    },
    async (req) => {
      const token = await newToken(services)
      const { container } = req.project()
      const most = services.settings().pipeline_triggers
      const id = await req.write((tx) => createTrigger(tx, container, req.body, token, most))
      return present(req, await find(req, id))
    },
  )

  app.put(
    one,
    {
      config: writes(project('admin_pipeline_trigger')),
      schema: {
        summary: 'Change a pipeline trigger',
        params: ByTrigger,
        body: TriggerChanges,
        response: { 200: PipelineTrigger },
      },
    },
    async (req) => {
      const { trigger_id } = req.params
      const wanted = req.body.description
      const { container } = req.project()
      if (wanted !== undefined) await req.write((tx) => updateTrigger(tx, container, trigger_id, wanted))
      return present(req, await find(req, trigger_id))
    },
  )

  app.delete(
    one,
    {
      config: writes(project('admin_pipeline_trigger')),
      schema: { summary: 'Delete a pipeline trigger', params: ByTrigger, response: { 204: NoContent } },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deleteTrigger(tx, container, req.params.trigger_id))
    },
  )
}
