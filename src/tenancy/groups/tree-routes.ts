import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { contains } from '#platform/db/search.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { Group, groupDetailEntity, GroupIdentity, presentGroupIdentity, presentGroups } from './entity.ts'
import { GroupsBelow, Transfer, TransferLocations } from './parameters.ts'
import { assertSubgroups, assertTopLevelGroups } from './policy.ts'
import { filterGroups, groupOrder, groupsFor, locationsFor, offeredOrder } from './queries.ts'
import { detailAfter } from './detail-after.ts'
import { transferGroup } from './transfer-group.ts'

/** Routes that list what is below a group, and move groups. */
export const groupTreeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const [below, summary, isBelow] of [
    ['subgroups', 'List the groups right below a group', (id: number) => sql<boolean>`n.parent_id = ${id}`],
    [
      'descendant_groups',
      'List all groups below a group',
      (id: number) => sql<boolean>`(${inSubtree('n', id)} and n.id <> ${id})`,
    ],
  ] as const) {
    app.get(
      `/groups/:id/${below}`,
      {
        config: reads(group('read_group'), { anonymous: true }),
        schema: { summary, params: ById, querystring: GroupsBelow, response: { 200: Type.Array(Group) } },
      },
      async (req, reply) => {
        const groups = groupsFor(db, req.viewer).where(isBelow(req.group().container.id))
        const rows = await paginate(req, reply, filterGroups(groups, req.query, req.viewer), groupOrder)
        return presentGroups(req.server.db, rows, req, req.query)
      },
    )
  }

  app.get(
    '/groups/:id/transfer_locations',
    {
      config: reads(group('transfer_group')),
      schema: {
        summary: 'List the groups that a group can be transferred to',
        params: ById,
        querystring: TransferLocations,
        response: { 200: Type.Array(GroupIdentity) },
      },
    },
    async (req, reply) => {
      const { search = '' } = req.query
      const groups = locationsFor(groupsFor(db, req.viewer), req.group().container, req.viewer)
      const found = groups.$if(search !== '', (q) => q.where(contains(['n.name', 'n.path'], search)))
      const rows = await paginate(req, reply, found, offeredOrder)
      return rows.map((row) => presentGroupIdentity(row, req.site))
    },
  )

  app.post(
    '/groups/:id/transfer',
    {
      config: writes(group('transfer_group')),
      schema: {
        summary: 'Transfer a group to another group or to the top level',
        params: ById,
        body: Transfer,
        response: { 201: groupDetailEntity() },
      },
    },
    async (req) => {
      const { id } = req.group().container
      const { group_id } = req.body
      return req.write(async (tx) => {
        if (group_id === undefined) await assertTopLevelGroups(tx.db, req.viewer)
        else assertSubgroups(await authorizeGroup(tx.db, req.viewer, String(group_id), 'create_subgroup'))
        await transferGroup(tx, id, group_id ?? null)
        return detailAfter(req, tx, id)
      })
    },
  )
}
