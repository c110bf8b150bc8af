import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { group, reads, writes } from '#access/route-access.ts'
import { paginate } from '#http/pagination.ts'
import { demandUnmodified } from '#http/preconditions.ts'
import { ById, NoContent } from '#http/schema.ts'
import { createLabel } from './create-label.ts'
import { deleteLabel } from './delete-label.ts'
import { GroupLabel, presentLabel, presentLabels } from './entity.ts'
import {
  ByLabel,
  GroupAround,
  GroupFilter,
  GroupLabelChanges,
  NamedGroupLabelChanges,
  NamedLabel,
  NewGroupLabel,
} from './parameters.ts'
import {
  filterLabels,
  findLabel,
  labelOrder,
  labelsAround,
  labelsAt,
  labelsFor,
  lockLabel,
} from './queries.ts'
import { subscribeLabel, unsubscribeLabel } from './subscribe-label.ts'
import { updateLabel } from './update-label.ts'
import { useInGroup } from './use.ts'

/** Labels of groups, which all projects below can use. */
export const groupLabelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/labels',
    {
      config: reads(group('read_label'), { anonymous: true }),
      schema: {
        summary: 'List the labels of a group',
        params: ById,
        querystring: GroupFilter,
        response: { 200: Type.Array(GroupLabel) },
      },
    },
    async (req, reply) => {
      const { place } = req.group()
      const labels = labelsAround(labelsFor(db, req.viewer), place, req.viewer, req.query)
      const wanted = filterLabels(labels, req.query).$if(req.query.with_counts, (q) =>
        q.select(useInGroup(req.viewer, req.group()).as('use')),
      )
      return presentLabels(await paginate(req, reply, wanted, labelOrder))
    },
  )

  app.get(
    '/groups/:id/labels/:label_id',
    {
      config: reads(group('read_label'), { anonymous: true }),
      schema: {
        summary: 'Get a label of a group',
        params: ByLabel,
        querystring: GroupAround,
        response: { 200: GroupLabel },
      },
    },
    async (req) => {
      const labels = labelsAround(labelsFor(db, req.viewer), req.group().place, req.viewer, req.query)
      return presentLabel(await findLabel(labels, req.params.label_id))
    },
  )

  app.post(
    '/groups/:id/labels',
    {
      config: writes(group('admin_label')),
      schema: {
        summary: 'Create a label in a group',
        params: ById,
        body: NewGroupLabel,
        refuses: [409],
        response: { 201: GroupLabel },
      },
    },
    async (req, reply) => {
      const label = await req.write((tx) => createLabel(tx, req.group().place, req.body))
      return reply.code(201).send(presentLabel(label))
    },
  )

  app.put(
    '/groups/:id/labels/:label_id',
    {
      config: writes(group('admin_label')),
      schema: {
        summary: 'Change a label of a group',
        params: ByLabel,
        body: GroupLabelChanges,
        refuses: [409, 412],
        response: { 200: GroupLabel },
      },
    },
    (req) => change(req, req.params.label_id, req.body),
  )

  app.put(
    '/groups/:id/labels',
    {
      config: writes(group('admin_label')),
      schema: {
        summary: 'Change a label of a group, named in the body',
        deprecated: true,
        params: ById,
        body: NamedGroupLabelChanges,
        refuses: [409, 412],
        response: { 200: GroupLabel },
      },
    },
    (req) => change(req, String(req.body.label_id ?? req.body.name), req.body),
  )

  app.delete(
    '/groups/:id/labels/:label_id',
    {
      config: writes(group('admin_label')),
      schema: {
        summary: 'Delete a label of a group',
        params: ByLabel,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req, reply) => {
      await remove(req, req.params.label_id)
      return reply.code(204).send()
    },
  )

  app.delete(
    '/groups/:id/labels',
    {
      config: writes(group('admin_label')),
      schema: {
        summary: 'Delete a label of a group, named among the parameters',
        deprecated: true,
        params: ById,
        querystring: NamedLabel,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req, reply) => {
      await remove(req, String(req.query.label_id ?? req.query.name))
      return reply.code(204).send()
    },
  )

  for (const [verb, act] of [
    ['subscribe', subscribeLabel],
    ['unsubscribe', unsubscribeLabel],
  ] as const) {
    app.post(
      `/groups/:id/labels/:label_id/${verb}`,
      {
        config: writes(group('subscribe_label')),
        schema: {
          summary: `${verb === 'subscribe' ? 'Subscribe to' : 'Unsubscribe from'} a label of a group`,
          params: ByLabel,
          response: { 201: GroupLabel, 304: NoContent },
        },
      },
      async (req, reply) => {
        const labels = labelsAt(labelsFor(db, req.viewer), req.group().place, true)
        const label = await findLabel(labels, req.params.label_id)
        const changed = await req.write((tx) => act(tx, label.id, req.user().id))
        if (!changed) return reply.code(304).send()
        return reply.code(201).send(presentLabel({ ...label, subscribed: verb === 'subscribe' }))
      },
    )
  }
}

async function change(req: FastifyRequest, key: string, changes: Static<typeof GroupLabelChanges>) {
  const { place } = req.group()
  return req.write(async (tx) => {
    const labels = labelsAt(labelsFor(tx.db, req.viewer), place, false)
    const label = await lockLabel(labels, key, changes.new_name !== undefined)
    demandUnmodified(req, label.updated_at)
    return presentLabel(await updateLabel(tx, place, label, changes))
  })
}

async function remove(req: FastifyRequest, key: string): Promise<void> {
  const { place } = req.group()
  await req.write(async (tx) => {
    const label = await lockLabel(labelsAt(labelsFor(tx.db, req.viewer), place, false), key, true)
    demandUnmodified(req, label.updated_at)
    await deleteLabel(tx, label)
  })
}
