import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { entity, integer } from '#http/schema.ts'
import type { Filter } from './filter-parameters.ts'
import { filterIssues } from './filters.ts'
import { type IssueQuery, issuesFor } from './queries.ts'

/** How many issues there are, by state. */
export const IssueStatistics = entity('IssueStatistics', {
  statistics: Type.Object({
    counts: Type.Object({ all: integer(), closed: integer(), opened: integer() }),
  }),
})

/** Counts the issues that a list with the same filters would show. */
export async function countIssues(
  { server, viewer, query }: Pick<FastifyRequest, 'server' | 'viewer'> & { readonly query: Filter },
  among: (issues: IssueQuery) => IssueQuery,
): Promise<Static<typeof IssueStatistics>> {
  const counts = await filterIssues(among(issuesFor(server.db, viewer)), query, viewer)
    .clearSelect()
    .select([
      sql<number>`count(*)`.as('all'),
      sql<number>`count(*) filter (where i.state = 'closed')`.as('closed'),
      sql<number>`count(*) filter (where i.state = 'opened')`.as('opened'),
    ])
    .executeTakeFirstOrThrow()
  return { statistics: { counts } }
}
