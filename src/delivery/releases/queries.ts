import { sql } from 'kysely'
import type { Static } from 'typebox'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { MilestoneRow } from '#planning/milestones/entity.ts'
import { milestoneJson } from '#planning/milestones/entity.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inlineBytes, leftOut, shortened } from '#platform/http/long-rows.ts'
import { notFound } from '#platform/refusals.ts'
import type { EvidenceRow, LinkRow, ReleaseRow } from './entity.ts'
import { MAX_MILESTONES } from './milestones.ts'
import type { ReleaseFilter } from './parameters.ts'

const author = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = r.author_id)`

/** Above which sizes in bytes texts are left out of a list: the description or all links of a release, and the description of a milestone. */
export interface Longest {
  readonly text?: number
  readonly milestone?: number
}

/** The same for a page of a list. */
export function longestFor(query: Parameters<typeof inlineBytes>[0]): Longest {
  const text = inlineBytes(query)
  return { text, milestone: Math.floor(text / MAX_MILESTONES) }
}

/** The bytes that a row of a list was read without. */
export const lacks = ({ left_out }: ReleaseRow): number => left_out ?? 0

const linkBytes = sql<number>`(
  select coalesce(sum(octet_length(l.name) + 2 * octet_length(l.url)), 0)::integer from release_links l where l.release_id = r.id)`

const links = (longest?: number) => sql<LinkRow[]>`(
  select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'url', l.url, 'filepath', l.filepath,
    'link_type', l.link_type) order by l.created_at, l.id), '[]')
  from release_links l where l.release_id = r.id and (${longest ?? null}::integer is null or ${linkBytes} <= ${longest ?? null}::integer))`

const milestones = (longest?: number) => sql<MilestoneRow[]>`(
  select coalesce(json_agg(${milestoneJson(sql<number>`rm.milestone_id`, longest)} order by rm.milestone_id), '[]')
  from release_milestones rm where rm.release_id = r.id)`

const evidences = sql<EvidenceRow[]>`(
  select coalesce(json_agg(json_build_object('id', e.id, 'sha', e.sha, 'collected_at', e.collected_at)
    order by e.id), '[]')
  from release_evidences e where e.release_id = r.id)`

/** The bytes of what is left out of a release. */
function leftOutOf({ text, milestone }: Longest) {
  const texts =
    text === undefined ? sql`0` : sql`case when ${linkBytes} > ${text}::integer then ${linkBytes} else 0 end`
  const plans =
    milestone === undefined
      ? sql`0`
      : sql`(select coalesce(sum(octet_length(m.description)), 0) from release_milestones rm
          join milestones m on m.id = rm.milestone_id
          where rm.release_id = r.id and octet_length(m.description) > ${milestone}::integer)`
  return sql<number>`(coalesce(${leftOut('r.description', text)}, 0) + ${texts} + ${plans})::integer`
}

/** Releases of all projects, each with everything that presenters need, without texts that are too long. */
export const allReleases = (db: Db | Tx['db'], longest: Longest = {}) =>
  db
    .selectFrom('releases as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select([
      'r.id',
      'r.project_id',
      'r.tag',
      'r.name',
      'r.sha',
      'r.released_at',
      'r.created_at',
      'r.updated_at',
      'n.path',
      'n.full_path',
    ])
    .select([
      sql<string | null>`${shortened('r.description', longest.text)}`.as('description'),
      author.as('author'),
      links(longest.text).as('links'),
      milestones(longest.milestone).as('milestones'),
      evidences.as('evidences'),
      leftOutOf(longest).as('left_out'),
    ])

/** Those of one project. */
export const releasesOf = (db: Db | Tx['db'], projectId: number, longest?: Longest) =>
  allReleases(db, longest).where('r.project_id', '=', projectId)

/** Bytes of the longest description that feeds show. */
const FEED_TEXT = 50_000

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

/** What was released by now, the last first, without what feeds do not show. */
export const latestReleases = (
  db: Db,
  projectId: number,
  { now, most }: { readonly now: string; readonly most: number },
): Promise<ReleaseRow[]> =>
  releasesOf(db, projectId, { text: FEED_TEXT, milestone: 0 })
    .where('r.released_at', '<=', now)
    .orderBy('r.released_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(most)
    .execute()
