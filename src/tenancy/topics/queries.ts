import { type RawBuilder, type Selectable, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { closedAt, hasLevel, seesInternal } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Topics } from '#platform/db/schema.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { longerThan } from '#platform/http/scalars.ts'

/** Most projects first, then oldest first. */
export const topicOrder: ListOrder = {
  of: 'Topic',
  id: 't.id',
  columns: { projects: { column: 'rank', selected: true } },
  by: 'projects',
  sort: 'asc',
}

export const topicColumns = [
  't.id',
  't.organization_id',
  't.name',
  't.title',
  't.description',
  't.avatar',
  't.curated',
  't.public_projects',
  't.internal_projects',
  't.private_projects',
  't.created_at',
  't.updated_at',
] as const

/** A topic as it is stored. */
export type StoredTopic = Selectable<Topics>

/**
 * The topics that the viewer can see, with how many of their projects the viewer sees. Projects that are open to the
 * viewer are counted already (counters.ts); this query counts those that they see as a member.
 */
export function topicsFor(db: Db | Tx['db'], viewer: Viewer) {
  const count = projectsSeen(viewer)
  return db
    .selectFrom('topics as t')
    .leftJoin(asMember(viewer).as('own'), (join) => join.onRef('own.topic_id', '=', 't.id'))
    .select(topicColumns)
    .select([count.as('total_projects_count'), sql<number>`-${count}`.as('rank')])
    .$if(!viewer.admin, (q) => q.where(sql<boolean>`(t.curated or ${count} > 0)`))
}

type TopicQuery = ReturnType<typeof topicsFor>
export type TopicRow = Awaited<ReturnType<TopicQuery['executeTakeFirstOrThrow']>>

function projectsSeen(viewer: Viewer): RawBuilder<number> {
  if (viewer.admin) return sql<number>`(t.public_projects + t.internal_projects + t.private_projects)`
  const open = seesInternal(viewer) ? sql`t.public_projects + t.internal_projects` : sql`t.public_projects`
  return sql<number>`(${open} + coalesce(own.projects, 0))`
}

/** How many projects of each topic the viewer sees only as a member. */
function asMember(viewer: Viewer): RawBuilder<{ topic_id: number; projects: number }> {
  const none = viewer.id === null && viewer.closed.length === 0
  if (viewer.admin || none) return sql`(select 0::bigint as topic_id, 0 as projects where false)`
  const others = seesInternal(viewer) ? sql`('private')` : sql`('private', 'internal')`
  const ofMember = sql`n.deleted_at is null and n.visibility in ${others} and ${hasLevel('n', viewer, levels.guest)}`
  if (viewer.closed.length === 0) return perTopic(sql`select n.id from namespaces n where ${ofMember}`)
  // Subtracts projects that the counters include as open to everybody but that this address may not see.
  const closed = closedAt('n', viewer)
  return sql`(select topic_id, sum(projects)::integer as projects from (
    select topic_id, projects from ${perTopic(sql`select n.id from namespaces n where ${ofMember} and not ${closed}`)} as seen
    union all
    select topic_id, -projects from ${perTopic(sql`select n.id from namespaces n
      where n.deleted_at is null and n.visibility not in ${others} and ${closed}`)} as unreachable
  ) as counted group by topic_id)`
}

/** How many projects with these namespaces each topic has. */
function perTopic(namespaces: RawBuilder<unknown>): RawBuilder<{ topic_id: number; projects: number }> {
  // An array, so that the database looks few projects up; a join would read all of them.
  return sql`(
    select pt.topic_id, count(*)::integer as projects
    from projects p join project_topics pt on pt.project_id = p.id
    where p.project_namespace_id = any(array(${namespaces}))
    group by pt.topic_id)`
}

export function filterTopics(
  topics: TopicQuery,
  {
    search = '',
    without_projects = false,
  }: { readonly search?: string; readonly without_projects?: boolean },
  viewer: Viewer,
): TopicQuery {
  return topics
    .$if(search !== '', (q) => q.where(named(search)))
    .$if(without_projects, (q) => q.where(sql<boolean>`${projectsSeen(viewer)} = 0`))
}

/** Shorter terms occur in too many names to be useful. */
const SHORTEST_PART = 3

/** Matches part of a name, or the whole name when the term is short, ignoring case. */
function named(term: string): RawBuilder<boolean> {
  if (longerThan(term, SHORTEST_PART - 1)) return contains(['t.name'], term)
  return sql<boolean>`lower(t.name) = lower(${term})`
}

/**
 * Finds a topic.
 * @throws 404 `Topic Not Found`, also when the viewer may not see it
 */
export async function findTopic(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<TopicRow> {
  return topicsFor(db, viewer)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Topic'))
}

/** SQL for the names of a project's topics as JSON; `project` is the alias of `projects`. */
export function topicNames(project: string): RawBuilder<string[]> {
  return sql`(select coalesce(json_agg(t.name order by t.name collate "C"), '[]')
    from project_topics pt join topics t on t.id = pt.topic_id where pt.project_id = ${sql.ref(`${project}.id`)})`
}

/** SQL for whether a project has topics of all these names, ignoring case. */
export function hasTopicsNamed(project: string, names: readonly string[]): RawBuilder<boolean> {
  // PostgreSQL decides which letters differ only in case.
  const wanted = sql`select distinct lower(name) as name from unnest(${[...names]}::text[]) as name`
  return sql<boolean>`${sql.ref(`${project}.id`)} in (
    select pt.project_id from project_topics pt join topics t on t.id = pt.topic_id
      where lower(t.name) = any(array(${wanted}))
      group by pt.project_id
      having count(distinct lower(t.name)) = (select count(*) from (${wanted}) as wanted))`
}

export function hasTopic(project: string, topicId: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${project}.id`)} in (
    select pt.project_id from project_topics pt where pt.topic_id = ${topicId})`
}
