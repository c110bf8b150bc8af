import { sql } from 'kysely'
import type { Static } from 'typebox'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { MilestoneRow } from '#planning/milestones/entity.ts'
import { milestoneJson } from '#planning/milestones/entity.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { EvidenceRow, LinkRow, ReleaseRow } from './entity.ts'
import type { ReleaseFilter } from './parameters.ts'

const author = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = r.author_id)`

const links = sql<LinkRow[]>`(
  select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'url', l.url, 'filepath', l.filepath,
    'link_type', l.link_type) order by l.created_at, l.id), '[]')
  from release_links l where l.release_id = r.id)`

const milestones = sql<MilestoneRow[]>`(
  select coalesce(json_agg(${milestoneJson(sql<number>`rm.milestone_id`)} order by rm.milestone_id), '[]')
  from release_milestones rm where rm.release_id = r.id)`

const evidences = sql<EvidenceRow[]>`(
  select coalesce(json_agg(json_build_object('id', e.id, 'sha', e.sha, 'collected_at', e.collected_at)
    order by e.id), '[]')
  from release_evidences e where e.release_id = r.id)`

/** Releases of all projects, each with everything that presenters need. */
export const allReleases = (db: Db | Tx['db']) =>
  db
    .selectFrom('releases as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select([
      'r.id',
      'r.project_id',
      'r.tag',
      'r.name',
      'r.description',
      'r.sha',
      'r.released_at',
      'r.created_at',
      'r.updated_at',
      'n.path',
      'n.full_path',
    ])
    .select([author.as('author'), links.as('links'), milestones.as('milestones'), evidences.as('evidences')])

/** Those of one project. */
export const releasesOf = (db: Db | Tx['db'], projectId: number) =>
  allReleases(db).where('r.project_id', '=', projectId)

type ReleaseQuery = ReturnType<typeof releasesOf>

export function filterReleases(
  query: ReleaseQuery,
  { updated_before, updated_after }: Static<typeof ReleaseFilter>,
): ReleaseQuery {
  return query
    .$if(updated_before !== undefined, (q) => q.where('r.updated_at', '<', updated_before ?? ''))
    .$if(updated_after !== undefined, (q) => q.where('r.updated_at', '>', updated_after ?? ''))
}

/** Finds a release by its tag. @throws 404 */
export async function findRelease(db: Db | Tx['db'], projectId: number, tag: string): Promise<ReleaseRow> {
  return releasesOf(db, projectId)
    .where('r.tag', '=', tag)
    .executeTakeFirstOrThrow(() => notFound())
}

/** The same with a lock. @param deletes whether it will be deleted. */
export async function lockRelease(
  tx: Tx,
  projectId: number,
  tag: string,
  deletes = false,
): Promise<ReleaseRow> {
  const query = tx.db
    .selectFrom('releases')
    .select('id')
    .where('project_id', '=', projectId)
    .where('tag', '=', tag)
  await (deletes ? query.forUpdate() : query.forNoKeyUpdate()).executeTakeFirstOrThrow(() => notFound())
  return findRelease(tx.db, projectId, tag)
}

/** What was released last, by now. @throws 404 when nothing was */
export async function findLatest(db: Db, projectId: number, now: string): Promise<string> {
  const { tag } = await db
    .selectFrom('releases as r')
    .select('r.tag')
    .where('r.project_id', '=', projectId)
    .where('r.released_at', '<=', now)
    .orderBy('r.released_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow(() => notFound())
  return tag
}

/** What was released by now, the last first. */
export const latestReleases = (
  db: Db,
  projectId: number,
  { now, most }: { readonly now: string; readonly most: number },
): Promise<ReleaseRow[]> =>
  releasesOf(db, projectId)
    .where('r.released_at', '<=', now)
    .orderBy('r.released_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(most)
    .execute()
