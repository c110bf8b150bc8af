import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById } from '#platform/http/schema.ts'
import { createLabel } from './create-label.ts'
import { GroupLabel, presentGroupLabel } from './entity.ts'
import {
  ByLabel,
  GroupAround,
  GroupFilter,
  GroupLabelChanges,
  NamedGroupLabelChanges,
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
      const { container } = req.group()
      const labels = labelsAround(labelsFor(db, req.viewer), container, req.viewer, req.query)
      const wanted = filterLabels(labels, req.query).$if(req.query.with_counts, (q) =>
        q.select(useInGroup(req.viewer, req.group()).as('use')),
      )
      return (await paginate(req, reply, wanted, labelOrder)).map(presentGroupLabel)
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
      const labels = labelsAround(labelsFor(db, req.viewer), req.group().container, req.viewer, req.query)
      return presentGroupLabel(await findLabel(labels, req.params.label_id))
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
    async (req) => {
      const label = await req.write((tx) => createLabel(tx, req.group().container, req.body))
      return presentGroupLabel(label)
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
}

async function change(req: FastifyRequest, key: string, changes: Static<typeof GroupLabelChanges>) {
  const { container } = req.group()
  return req.write(async (tx) => {
    const labels = labelsAt(labelsFor(tx.db, req.viewer), container, false)
    const label = await lockLabel(labels, key, changes.new_name !== undefined)
    assertUnmodified(req, label.updated_at)
    return presentGroupLabel(await updateLabel(tx, container, label, changes))
  })
}
