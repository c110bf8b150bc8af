import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { boundedCount } from '#platform/http/pagination.ts'
import { entity, integer } from '#platform/http/schema.ts'
import type { Filter } from './filter-parameters.ts'
import { filterIssues } from './filters.ts'
import { type IssueQuery, issuesFor } from './queries.ts'

/** How many issues there are, by state; 10,001 stands for more than 10,000. */
export const IssueStatistics = entity('IssueStatistics', {
  statistics: Type.Object({
    counts: Type.Object({ all: integer(), closed: integer(), opened: integer() }),
  }),
})

/** Counts the issues that a list with the same filters would show, for each state up to the limit of totals. */
export async function countIssues(
  { server, viewer, query }: Pick<FastifyRequest, 'server' | 'viewer'> & { readonly query: Filter },
  among: (issues: IssueQuery) => IssueQuery,
): Promise<Static<typeof IssueStatistics>> {
  const issues = filterIssues(among(issuesFor(server.db, viewer)), query, viewer)
  const { opened, closed } = await server.db
    .selectNoFrom([
      boundedCount(issues.where('i.state', '=', sql.lit('opened'))).as('opened'),
      boundedCount(issues.where('i.state', '=', sql.lit('closed'))).as('closed'),
    ])
    .executeTakeFirstOrThrow()
  return { statistics: { counts: { all: opened + closed, closed, opened } } }
}
