import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'

/** Issues of all milestones in one evidence, oldest first. */
const MAX_ISSUES = 1_500
/** Evidences of one release. */
const MAX_EVIDENCES = 100

/** Whether a feature of the project `p` is open to everybody who may see it. */
const isForAll = (level: string) =>
  sql<boolean>`coalesce(p.settings ->> ${level}::text, 'enabled') = 'enabled'`

/**
 * Keeps what stands now: the release, its project, and its milestones with the titles of their issues. Everybody who may read the code may
 * read it. So it leaves out confidential issues, those of other projects, which milestones of groups have, and what is for members alone.
 * @throws 400 when the release has too many already
 */
export async function collectEvidence(tx: Tx, releaseId: number): Promise<void> {
  const { rows } = await sql<{ summary: string; held: number }>`
    with named as (
      select m.id, m.iid, m.title, m.state, m.due_date, m.created_at from release_milestones rm
        join milestones m on m.id = rm.milestone_id
        join releases r on r.id = rm.release_id join projects p on p.id = r.project_id
        where rm.release_id = ${releaseId}
          and (${isForAll('issues_access_level')} or ${isForAll('merge_requests_access_level')})
    ), done as (
      select i.id, i.iid, i.title, i.state, i.due_date, i.created_at, i.milestone_id from issues i
          join releases r on r.id = ${releaseId} and r.project_id = i.project_id join projects p on p.id = r.project_id
        where i.milestone_id in (select id from named) and not i.confidential and ${isForAll('issues_access_level')}
        order by i.id limit ${MAX_ISSUES}
    )
    select (select count(*)::integer from release_evidences e where e.release_id = r.id) as held,
      json_build_object('release', json_build_object(
        'id', r.id, 'tag_name', r.tag, 'name', r.name, 'description', r.description, 'sha', r.sha,
        'created_at', r.created_at, 'released_at', r.released_at,
        'project', json_build_object('id', p.id, 'name', n.name, 'description', n.description, 'created_at', n.created_at),
        'milestones', (select coalesce(json_agg(json_build_object(
            'id', m.id, 'iid', m.iid, 'title', m.title, 'state', m.state, 'due_date', m.due_date, 'created_at', m.created_at,
            'issues', (select coalesce(json_agg(json_build_object('id', i.id, 'iid', i.iid, 'title', i.title, 'state', i.state,
                'due_date', i.due_date, 'created_at', i.created_at) order by i.id), '[]')
              from done i where i.milestone_id = m.id)) order by m.id), '[]') from named m)))::text as summary
    from releases r join projects p on p.id = r.project_id join namespaces n on n.id = p.project_namespace_id
    where r.id = ${releaseId}`.execute(tx.db)
  const [found] = rows
  if (found === undefined) return
  if (found.held >= MAX_EVIDENCES) throw badRequest(`a release has at most ${MAX_EVIDENCES} evidences`)
  await tx.db
    .insertInto('release_evidences')
    .values({
      release_id: releaseId,
      summary: found.summary,
      sha: createHash('sha256').update(found.summary).digest('hex'),
      collected_at: tx.now,
    })
    .execute()
}
