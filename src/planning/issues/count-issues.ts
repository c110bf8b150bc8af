import { type RawBuilder, sql } from 'kysely'
import { featureOpenAt } from '#platform/access/features.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { boundedCount, COUNTED } from '#platform/http/pagination.ts'
import { confidentialOpenTo, issueVisibleTo } from './visible.ts'

/** A column for queries of projects (`p`, with their `namespaces` as `n`): the open issues that the viewer may see. */
export function openIssuesCount(viewer: Viewer): RawBuilder<number> {
  return sql<number>`(case when ${featureOpenAt('issues', 'p.settings', 'n', viewer)} then (
    select count(*) from (select 1 from issues oi where oi.project_id = p.id and oi.state = 'opened'
      and ${confidentialOpenTo(viewer, { issue: 'oi', node: 'n', project: 'p' })}
      limit ${sql.lit(COUNTED)}) as counted) else 0 end)`
}

/** The open issues that somebody is assigned to, sees and can work on: none of archived projects. */
export async function countAssignedIssues(db: Db, viewer: Viewer & { readonly id: number }): Promise<number> {
  const assigned = issuesOfPlaces(db, viewer)
    .innerJoin('issue_assignees as a', 'a.issue_id', 'i.id')
    .where('a.user_id', '=', viewer.id)
    .where('i.state', '=', 'opened')
    .where(sql<boolean>`not ${archivedIn('n')}`)
  const { count } = await db.selectNoFrom(boundedCount(assigned).as('count')).executeTakeFirstOrThrow()
  return count
}

/** A column of any query: how many issues of an author the viewer may see. */
export function countAuthoredIssues(db: Db, viewer: Viewer, authorId: number) {
  return boundedCount(issuesOfPlaces(db, viewer).where('i.author_id', '=', authorId))
}

function issuesOfPlaces(db: Db, viewer: Viewer) {
  return db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .where(issueVisibleTo(viewer))
}
