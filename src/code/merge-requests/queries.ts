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
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { userAt } from '#planning/issues/queries.ts'
import { type CarriedLabel, carriedLabelJson } from '#planning/labels/carried.ts'
import { milestoneJson } from '#planning/milestones/entity.ts'
import { locking } from '#planning/noteables/lock.ts'
import type { StoredSettings } from '#tenancy/projects/project-settings.ts'
import { ofHeadPipeline } from '../pipelines/head-pipeline.ts'
import { awaitsChanges, lacksApprovals } from './approvals/sql.ts'

/** A merge request with everything that presenters need. */
export type MergeRequestRow = Awaited<
  ReturnType<ReturnType<typeof mergeRequestsFor>['executeTakeFirstOrThrow']>
>

const wanted = [
  'mr.id',
  'mr.project_id',
  'mr.source_project_id',
  'mr.iid',
  'mr.title',
  'mr.state',
  'mr.author_id',
  'mr.milestone_id',
  'mr.source_branch',
  'mr.target_branch',
  'mr.discussion_locked',
  'mr.head_sha',
  'mr.base_sha',
  'mr.start_sha',
  'mr.changed_files',
  'mr.merge_status',
  'mr.merge_error',
  'mr.merge_obstacle',
  'mr.behind_target',
  'mr.merged_at',
  'mr.merge_commit_sha',
  'mr.squash_commit_sha',
  'mr.squash',
  'mr.remove_source_branch',
  'mr.allow_collaboration',
  'mr.auto_merge',
  'mr.merge_after',
  'mr.rebasing_since',
  'mr.approvals_required',
  'mr.time_estimate',
  'mr.total_time_spent',
  'mr.upvotes',
  'mr.downvotes',
  'mr.closed_at',
  'mr.created_at',
  'nt.updated_at',
] as const

const peopleIn = (table: 'merge_request_assignees' | 'merge_request_reviewers') => sql<
  UserBasicRow[]
>`coalesce((
  select json_agg(${userBasicJson('u')} order by u.id) from ${sql.table(table)} a join users u on u.id = a.user_id
    where a.merge_request_id = mr.id), '[]')`

/**
 * All merge requests, each with everything that presenters need. Relations come as JSON, so that a page is one
 * statement. Callers must add the condition of who may see them (visible.ts).
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 */
export function mergeRequestsFor(db: Db | Tx['db'], viewer: SqlViewer, longest?: number) {
  return db
    .selectFrom('merge_requests as mr')
    .innerJoin('projects as p', 'p.id', 'mr.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('noteables as nt', 'nt.id', 'mr.id')
    .select(wanted)
    .select([
      'p.project_namespace_id as namespace_id',
      sql<StoredSettings>`p.settings`.as('settings'),
      'n.full_path',
      'n.path',
      sql<string | null>`${shortened('mr.description', longest)}`.as('description'),
      leftOut('mr.description', longest).as('left_out'),
      userAt(sql`mr.author_id`).as('author'),
      sql<UserBasicRow | null>`${userAt(sql`mr.closed_by_id`)}`.as('closed_by'),
      sql<UserBasicRow | null>`${userAt(sql`mr.merge_user_id`)}`.as('merge_user'),
      peopleIn('merge_request_assignees').as('assignees'),
      peopleIn('merge_request_reviewers').as('reviewers'),
      sql<CarriedLabel[]>`coalesce((
        select json_agg(${carriedLabelJson('l', longest)} order by l.name, l.id)
          from merge_request_labels c join labels l on l.id = c.label_id where c.merge_request_id = mr.id), '[]')`.as(
        'labels',
      ),
      milestoneJson(sql`mr.milestone_id`, longest).as('milestone'),
      visibleNotesCount(viewer).as('user_notes_count'),
      hasThreadsToResolve.as('has_threads_to_resolve'),
      lacksApprovals(viewer.today).as('lacks_approvals'),
      awaitsChanges.as('awaits_changes'),
      pipelineStatus.as('pipeline_status'),
    ])
}

/** The status of the pipeline that has to pass first, if the project demands that; null also where there is none. */
const pipelineStatus = sql<CiStatus | null>`(
  case when (p.settings ->> 'only_allow_merge_if_pipeline_succeeds')::boolean then ${ofHeadPipeline<CiStatus>('status')} end)`

/** Whether threads keep it from being merged: some are not resolved, and the project demands it. */
const hasThreadsToResolve = sql<boolean>`(
  coalesce((p.settings ->> 'only_allow_merge_if_all_discussions_are_resolved')::boolean, false) and exists (
    select 1 from notes x where x.noteable_id = mr.id and x.type is not null and x.resolved_at is null))`

/** Whether the viewer is subscribed: by choice, else when they take part. */
function subscribedTo({ id }: Pick<SqlViewer, 'id'>): RawBuilder<boolean> {
  if (id === null) return sql<boolean>`false`
  return sql<boolean>`coalesce(
    (select s.subscribed from subscriptions s where s.noteable_id = mr.id and s.user_id = ${id}),
    mr.author_id = ${id}
      or exists (select 1 from merge_request_assignees a where a.merge_request_id = mr.id and a.user_id = ${id})
      or exists (select 1 from merge_request_reviewers r where r.merge_request_id = mr.id and r.user_id = ${id})
      or exists (select 1 from notes x where x.noteable_id = mr.id and x.author_id = ${id} and not x.system)
      or exists (select 1 from user_mentions x where x.noteable_id = mr.id and x.user_id = ${id}))`
}

/** One merge request, with fields that depend on the viewer and that only a single one shows. */
export type SingleMergeRequestRow = MergeRequestRow & { readonly subscribed: boolean }

const one = statement({
  name: 'merge request',
  build: (db, param: Params<ViewerValues & Key>, shape: ViewerShape) => {
    const viewer = viewerIn(shape, param)
    return mergeRequestsFor(db, viewer)
      .where('mr.project_id', '=', param('project'))
      .where('mr.iid', '=', param('iid'))
      .select(subscribedTo(viewer).as('subscribed'))
  },
})

/**
 * Finds a merge request of a project by its iid. The route has made sure that the caller may read them there.
 * @throws 404
 */
export async function findMergeRequest(
  db: Db | Tx['db'],
  viewer: Viewer,
  { container }: Pick<AuthorizedProject, 'container'>,
  iid: number,
): Promise<SingleMergeRequestRow> {
  // What else the viewer may see does not depend on where they ask from.
  const anywhere = { ...viewer, closed: [] }
  const values = { ...valuesOfViewer(anywhere), project: container.id, iid }
  const [found] = await one(db, values, shapeOfViewer(anywhere))
  if (found === undefined) throw notFound()
  return found
}

interface Key {
  readonly project: number
  readonly iid: number
}

const idOf = (param: Params<Key>) => sql<number>`(
  select mr.id from merge_requests mr where mr.project_id = ${param('project')} and mr.iid = ${param('iid')})`

/** Also its own row, because votes, and the job that removes projects, lock nothing else. */
const lockingOwn = (strength: string) =>
  statement({
    name: `lock merge request ${strength}`,
    build: (_, param: Params<Key>) =>
      sql`select 1 from merge_requests where id = ${idOf(param)} ${sql.raw(strength)}`,
    deferred: true,
  })

const locks = {
  change: { noteable: locking('change', idOf), own: lockingOwn('for no key update') },
  deletion: { noteable: locking('deletion', idOf), own: lockingOwn('for update') },
}

/**
 * Finds a merge request by its iid and locks it: others who want to change it wait until this transaction ends.
 * @throws 404
 */
export async function lockMergeRequest(
  tx: Tx,
  viewer: Viewer,
  authorized: Pick<AuthorizedProject, 'container'>,
  iid: number,
  purpose: keyof typeof locks = 'change',
): Promise<SingleMergeRequestRow> {
  const key = { project: authorized.container.id, iid }
  await locks[purpose].noteable(tx.db, key)
  await locks[purpose].own(tx.db, key)
  return findMergeRequest(tx.db, viewer, authorized, iid)
}
