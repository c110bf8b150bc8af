import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { forbidden, refusal } from '#platform/refusals.ts'
import { ById, entity } from '#platform/http/schema.ts'
import { callerOf, gatesOf } from '../protected-environments/gate.ts'
import { EnvironmentBasic, presentEnvironmentBasic } from './entity.ts'
import { ReviewAppFilter } from './parameters.ts'
import { scheduleDeletion, stoppedReviewApps } from './review-apps.ts'

const ScheduledDeletions = entity('ScheduledDeletions', {
  scheduled_entries: Type.Array(EnvironmentBasic),
  unprocessable_entries: Type.Array(EnvironmentBasic, { description: 'Always empty.' }),
})

/** Deletes environments of branches that are gone, many at once. */
export const reviewAppRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.delete(
    '/projects/:id/environments/review_apps',
    {
      config: writes(project('admin_environment'), { jobToken: true }),
      schema: {
        summary: 'Delete review apps that are stopped',
        description:
          'Those whose name begins with `review/`, oldest first. They are deleted after a week, unless something is deployed there before.',
        params: ById,
        querystring: ReviewAppFilter,
        response: { 200: ScheduledDeletions },
      },
    },
    async (req) => {
      const { query } = req
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      const found = await req.write(async (tx) => {
        const old = await stoppedReviewApps(tx.db, id, query, tx.now)
        if (old.length === 0) throw refusal('No environments found for scheduled deletion')
        const gates = await gatesOf(tx.db, caller, old)
        if (!gates.every(({ mayDeploy }) => mayDeploy)) throw forbidden()
        if (!query.dry_run) await scheduleDeletion(tx, namespace_id, old)
        return old
      })
      return { scheduled_entries: found.map(presentEnvironmentBasic), unprocessable_entries: [] }
    },
  )
}
