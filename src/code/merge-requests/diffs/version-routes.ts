import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { presentDiff } from '#code/commits/diff-entity.ts'
import { presentCommits } from '#code/commits/present.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ByMergeRequest } from '../parameters.ts'
import { commitsOf, comparedIn, diffOf, MOST_COMMITS } from './changes.ts'
import { presentVersion, Version, VersionWithDiffs } from './entity.ts'
import { ByVersion, Page, Unidiff } from './parameters.ts'
import { withPatchIds } from './patch-ids.ts'
import { findVersion, versionOrder, versionsOf } from './queries.ts'
import { findOne } from './routes.ts'

const config = reads(project('read_merge_request'), { anonymous: true })

/** Routes for the states that the source branch of a merge request had. */
export const versionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const path = '/projects/:id/merge_requests/:merge_request_iid/versions'

  app.get(
    path,
    {
      config,
      schema: {
        summary: 'List the versions of a merge request',
        description: 'There is one for each push, the newest first.',
        params: ByMergeRequest,
        querystring: Page,
        response: { 200: Type.Array(Version) },
      },
    },
    async (req, reply) => {
      const { id } = await findOne(req, req.params.merge_request_iid)
      const rows = await paginate(req, reply, versionsOf(app.db, id), versionOrder)
      return (await withPatchIds(app.services, await requestedRepository(req), rows)).map(presentVersion)
    },
  )

  app.get(
    `${path}/:version_id`,
    {
      config,
      schema: {
        summary: 'Get a version of a merge request with its commits and diffs',
        params: ByVersion,
        querystring: Unidiff,
        response: { 200: VersionWithDiffs },
      },
    },
    async (req) => {
      const { id } = await findOne(req, req.params.merge_request_iid)
      const found = await findVersion(app.db, id, req.params.version_id)
      const repository = await comparedIn(req)
      const [version = found] = await withPatchIds(app.services, repository, [found])
      const [commits, { files }] = await Promise.all([
        commitsOf(repository, version, { skip: 0, limit: MOST_COMMITS }),
        diffOf(repository, version),
      ])
      return {
        ...presentVersion(version),
        commits: await presentCommits(req, repository, commits.rows),
        diffs: files.map((file) => presentDiff(file, req.query.unidiff)),
      }
    },
  )
}
