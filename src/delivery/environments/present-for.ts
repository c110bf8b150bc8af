import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { notFound } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import { presentSimpleProject } from '#tenancy/projects/present-projects.ts'
import { projectsFor } from '#tenancy/projects/queries.ts'
import { type Environment, type EnvironmentRow, presentEnvironment } from './entity.ts'

/** Presents environments of the project that a route names. All of them show the project, which is read once. */
export async function presentEnvironments(
  req: FastifyRequest,
  rows: readonly EnvironmentRow[],
): Promise<Static<typeof Environment>[]> {
  if (rows.length === 0) return []
  const { container } = req.project()
  const row = await projectsFor(req.server.db, req.viewer)
    .where('p.id', '=', container.id)
    .executeTakeFirstOrThrow(() => notFound('Project'))
  const project = presentSimpleProject(row, audienceOf(req))
  return rows.map((environment) => presentEnvironment(environment, project))
}

/** The same for one. */
export async function presentOneEnvironment(
  req: FastifyRequest,
  row: EnvironmentRow,
): Promise<Static<typeof Environment>> {
  return onlyOne(await presentEnvironments(req, [row]))
}
