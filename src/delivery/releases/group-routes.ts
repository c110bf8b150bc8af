import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import { group, reads } from '#platform/access/route-access.ts'
import { archivedAt, hasLevel, visibleTo } from '#platform/access/visible.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { ListedRelease, type Release } from './entity.ts'
import { releaseOrder } from './order.ts'
import { GroupReleaseFilter } from './parameters.ts'
import { presentReleases } from './present.ts'
import { allReleases, lacks, type Longest, longestFor } from './queries.ts'

/** The releases of all projects in a group. */
export const groupReleaseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/groups/:id/releases',
    {
      config: reads(group('read_release'), { anonymous: true }),
      schema: {
        summary: 'List the releases of all projects in a group and its subgroups',
        description: 'Those that you may see, what was released last first.',
        params: ById,
        querystring: GroupReleaseFilter,
        response: { 200: Type.Array(ListedRelease) },
      },
    },
    async (req, reply) => {
      const { viewer } = req
      const isOpen = (feature: 'issues' | 'merge_requests') =>
        projectFeatureOpenAt(feature, 'p.settings', 'n', viewer)
      const developer = viewer.admin ? sql<boolean>`true` : hasLevel('n', viewer, levels.developer)
      // First which projects: their releases are found by an index then.
      const projects = sql`select p.id from projects p join namespaces n on n.id = p.project_namespace_id
        where ${inSubtree('n', req.group().container.id)} and ${visibleTo('n', viewer)}
          and ${projectFeatureOpenAt('releases', 'p.settings', 'n', viewer)}`
      const read = (longest?: Longest) =>
        allReleases(app.db, longest)
          .where(sql<boolean>`r.project_id = any(array(${projects}))`)
          .select([
            codeReadableAt('p.settings', 'n', viewer).as('code'),
            sql<boolean>`(${isOpen('issues')} or ${isOpen('merge_requests')})`.as('plans'),
            sql<boolean>`(${developer} and not ${archivedAt('n')})`.as('changes'),
          ])
      const rows = await paginate(req, reply, read(longestFor(req.query)), releaseOrder)
      const whole = (ids: readonly number[]) => read().where(isAnyOf('r.id', ids)).execute()
      return sendLong(req, reply, { rows, lacks, whole }, async (some) => {
        const presented = await presentReleases(req, some, {
          audience: ({ code, plans, changes }) => ({ code, milestones: plans, changes: code && changes }),
        })
        return req.query.simple === true ? presented.map(simplified) : presented
      })
    },
  )
}

const simplified = ({
  name,
  tag_name,
  description,
  created_at,
  released_at,
  upcoming_release,
}: Static<typeof Release>): Static<typeof ListedRelease> => ({
  name,
  ...(tag_name !== undefined && { tag_name }),
  description,
  created_at,
  released_at,
  upcoming_release,
})
