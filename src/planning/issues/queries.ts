import { visibleNotesCount } from '#planning/noteables/list/notes-count.ts'
import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import {
  shapeOfViewer,
  type SqlViewer,
  valuesOfViewer,
  type Viewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import { milestoneJson } from '#planning/milestones/entity.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { type CarriedLabel, carriedLabelJson } from '#planning/labels/carried.ts'
import { isRelated, relatedTo } from './related.ts'
import { confidentialOpenIn, issueVisibleTo } from './visible.ts'

/** An issue with everything that presenters need. */
export type IssueRow = Awaited<ReturnType<ReturnType<typeof issuesFor>['executeTakeFirstOrThrow']>>

const wanted = [
  'i.id',
  'i.project_id',
  'i.iid',
  'i.issue_type',
  'i.title',
  'i.state',
  'i.author_id',
  'i.milestone_id',
  'i.confidential',
  'i.discussion_locked',
  'i.due_date',
  'i.weight',
  'i.severity',
  'i.relative_position',
  'i.time_estimate',
  'i.total_time_spent',
  'i.upvotes',
  'i.downvotes',
  'i.closed_at',
  'i.created_at',
  'nt.updated_at',
] as const

/**
 * All issues, each with everything that presenters need. Relations come as JSON, so that a page is one statement.
 * Callers must add the condition of who may see them (visible.ts).
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 * @param asksRelated whether to read the items that issues are related to. Checking the rights to them costs PostgreSQL a third of a
 * millisecond even when there are none, so frequent readers ask only if `is_related` says that there are some.
 */
export function issuesFor(db: Db | Tx['db'], viewer: SqlViewer, longest?: number, asksRelated = true) {
  return db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('noteables as nt', 'nt.id', 'i.id')
    .select(wanted)
    .select([
      'p.project_namespace_id as namespace_id',
      'n.full_path',
      'n.path',
      sql<string | null>`${shortened('i.description', longest)}`.as('description'),
      leftOut('i.description', longest).as('left_out'),
      userAt(sql`i.author_id`).as('author'),
      sql<UserBasicRow | null>`${userAt(sql`i.closed_by_id`)}`.as('closed_by'),
      sql<UserBasicRow[]>`coalesce((
        select json_agg(${userBasicJson('u')} order by u.id) from issue_assignees a join users u on u.id = a.user_id
          where a.issue_id = i.id), '[]')`.as('assignees'),
      sql<CarriedLabel[]>`coalesce((
        select json_agg(${carriedLabelJson('l', longest)} order by l.name, l.id)
          from issue_labels c join labels l on l.id = c.label_id where c.issue_id = i.id), '[]')`.as(
        'labels',
      ),
      movedTo.as('moved_to_id'),
      milestoneJson(sql`i.milestone_id`, longest).as('milestone'),
      visibleNotesCount(viewer).as('user_notes_count'),
      isRelated().as('is_related'),
      ...relatedTo(viewer, asksRelated),
    ])
}

/** The issue that this one was moved to; null once that one is deleted, even while a job is still removing it. */
const movedTo = sql<number | null>`case when i.moved_to_id is not null then (
  select mi.id from issues mi join projects mp on mp.id = mi.project_id
    join namespaces mn on mn.id = mp.project_namespace_id
    where mi.id = i.moved_to_id and mn.deleted_at is null) end`

/** The user with this id as JSON. */
export function userAt(id: RawBuilder<unknown>): RawBuilder<UserBasicRow> {
  return sql`(select ${userBasicJson('u')} from users u where u.id = ${id})`
}

/** Whether the viewer is subscribed to an issue: by choice, else when they take part. */
export function subscribedTo({ id }: Pick<SqlViewer, 'id'>): RawBuilder<boolean> {
  if (id === null) return sql<boolean>`false`
  return sql<boolean>`coalesce(
    (select s.subscribed from subscriptions s where s.noteable_id = i.id and s.user_id = ${id}),
    i.author_id = ${id}
      or exists (select 1 from issue_assignees a where a.issue_id = i.id and a.user_id = ${id})
      or exists (select 1 from notes x where x.noteable_id = i.id and x.author_id = ${id} and not x.system)
      or exists (select 1 from user_mentions x where x.noteable_id = i.id and x.user_id = ${id}))`
}

/** One issue, with fields that depend on the viewer and that only a single issue shows. */
export type SingleIssueRow = IssueRow & { readonly subscribed: boolean }

interface Key {
  readonly project: number
  readonly iid: number
}

/** The shape of the statement for one issue. */
interface OneShape extends ViewerShape {
  readonly readsAll: boolean
  readonly asksRelated: boolean
}

const one = statement({
  name: 'issue',
  build: (db, param: Params<ViewerValues & Key>, { readsAll, asksRelated, ...shape }: OneShape) => {
    const viewer = viewerIn(shape, param)
    return issuesFor(db, viewer, undefined, asksRelated)
      .where('i.project_id', '=', param('project'))
      .where(confidentialOpenIn(viewer, readsAll))
      .where('i.iid', '=', param('iid'))
      .select(subscribedTo(viewer).as('subscribed'))
  },
})

/**
 * Finds an issue of a project by its iid.
 * @throws 404, plain unless named
 */
export async function findIssue(
  db: Db | Tx['db'],
  viewer: Viewer,
  authorized: AuthorizedProject,
  iid: number,
  name?: string,
): Promise<SingleIssueRow> {
  const found = await findOne(db, viewer, authorized, iid, false)
  return orNotFound(found?.is_related ? await findOne(db, viewer, authorized, iid, true) : found, name)
}

async function findOne(
  db: Db | Tx['db'],
  viewer: Viewer,
  { container, can }: AuthorizedProject,
  iid: number,
  asksRelated: boolean,
): Promise<SingleIssueRow | undefined> {
  const values = { ...valuesOfViewer(viewer), project: container.id, iid }
  const readsAll = can('read_confidential_issue')
  const [issue] = await one(db, values, { ...shapeOfViewer(viewer), readsAll, asksRelated })
  return issue
}

/**
 * Finds an issue of any project by its id, if the viewer may see it.
 * @throws 404
 */
export async function findIssueById(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<SingleIssueRow> {
  return issuesFor(db, viewer)
    .where('i.id', '=', id)
    .where(issueVisibleTo(viewer))
    .select(subscribedTo(viewer).as('subscribed'))
    .executeTakeFirstOrThrow(() => notFound())
}
