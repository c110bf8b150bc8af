import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type Job, presentJob } from '#code/jobs/entity.ts'
import { jobs, usersOf } from '#code/jobs/queries.ts'
import { isAnyOf } from '#platform/db/any-of.ts'

/** The jobs that made some deployments of the requested project, by the deployment's id. Deployments of other programs have none. */
export async function deployablesOf(
  req: FastifyRequest,
  deployments: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Static<typeof Job>>> {
  if (deployments.length === 0) return new Map()
  const { db, services } = req.server
  const rows = await jobs(db)
    .select('j.deployment_id')
    .where(
      isAnyOf(
        'j.deployment_id',
        deployments.map(({ id }) => id),
      ),
    )
    .execute()
  const view = {
    site: req.site,
    fullPath: req.project().container.full_path,
    viewer: req.viewer,
    now: services.clock.now().toISOString(),
    users: await usersOf(db, rows),
  }
  return new Map(rows.map((row) => [row.deployment_id ?? 0, presentJob(row, view)]))
}
