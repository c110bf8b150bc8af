import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { changeEpic } from './change-epic.ts'
import { deleteEpic } from './delete-epic.ts'
import { Epic, EpicSingle } from './entity.ts'
import { scopeOf } from './list/scope.ts'
import { listEpics } from './list-epics.ts'
import { openEpic } from './open-epic.ts'
import { ByEpic, EpicChanges, EpicFilter, NewEpic } from './parameters.ts'
import { epicAudienceOf, presentSingleEpic } from './present.ts'
import { findEpic, lockEpic } from './queries.ts'
import { epicTier as tier } from './tier.ts'
import { lockTree } from './tree.ts'
import { epicsApi as deprecated } from './identity.ts'

/** Epics of groups. */
export const epicRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/epics',
    {
      config: reads(group('read_epic'), { tier }),
      schema: {
        summary: 'List the epics of a group and its subgroups',
        deprecated,
        params: ById,
        querystring: EpicFilter,
        response: { 200: Type.Array(Epic) },
      },
    },
    (req, reply) => listEpics(req, reply, scopeOf(req.viewer, req.group(), req.query)),
  )

  app.get(
    '/groups/:id/epics/:epic_iid',
    {
      config: reads(group('read_epic'), { tier }),
      schema: { summary: 'Get an epic', deprecated, params: ByEpic, response: { 200: EpicSingle } },
    },
    async (req) => {
      const epic = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      return presentSingleEpic(epic, epicAudienceOf(req))
    },
  )

  app.post(
    '/groups/:id/epics',
    {
      config: writes(group('admin_epic'), { tier }),
      schema: {
        summary: 'Open an epic',
        description: 'The setting `issues_create_limit` limits epics per minute, too.',
        deprecated,
        params: ById,
        body: NewEpic,
        refuses: [422],
        response: { 201: EpicSingle },
      },
    },
    async (req) => {
      const epic = await openEpic(req, req.body)
      return presentSingleEpic(epic, epicAudienceOf(req))
    },
  )

  app.put(
    '/groups/:id/epics/:epic_iid',
    {
      config: writes(group('admin_epic'), { tier }),
      schema: {
        summary: 'Change an epic',
        deprecated,
        params: ByEpic,
        body: EpicChanges,
        refuses: [412, 422],
        response: { 200: EpicSingle },
      },
    },
    async (req) =>
      presentSingleEpic(await changeEpic(req, req.params.epic_iid, req.body), epicAudienceOf(req)),
  )

  app.delete(
    '/groups/:id/epics/:epic_iid',
    {
      config: writes(group('delete_epic'), { tier }),
      schema: {
        summary: 'Delete an epic',
        description: 'Its issues and child epics stay.',
        deprecated,
        params: ByEpic,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        await lockTree(tx, req.group().container)
        const named = { iid: req.params.epic_iid }
        const epic = await lockEpic(tx, req.viewer, req.group(), named, 'deletion')
        assertUnmodified(req, epic.updated_at)
        await deleteEpic(tx, epic)
      })
    },
  )
}
