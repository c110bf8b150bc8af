import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { entity, integer } from '#platform/http/schema.ts'
import type { Filter } from './filter-parameters.ts'
import { countItems } from '#planning/noteables/list/find.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { selectIssues } from './list-issues.ts'

/** How many issues there are, by state; 10,001 stands for more than 10,000. */
export const IssueStatistics = entity('IssueStatistics', {
  statistics: Type.Object({
    counts: Type.Object({ all: integer(), closed: integer(), opened: integer() }),
  }),
})

/** Counts the issues that a list with the same filters would show, for each state up to the limit of totals. */
export async function statisticsOf(
  { server, query }: Pick<FastifyRequest, 'server'> & { readonly query: Filter },
  scope: ListScope,
): Promise<Static<typeof IssueStatistics>> {
  const selection = await selectIssues(server.db, scope, query)
  const { opened, closed } =
    selection === undefined
      ? { opened: 0, closed: 0 }
      : await countItems(server.db, selection, {
          opened: sql<boolean>`i.state = 'opened'`,
          closed: sql<boolean>`i.state = 'closed'`,
        })
  return { statistics: { counts: { all: opened + closed, closed, opened } } }
}
