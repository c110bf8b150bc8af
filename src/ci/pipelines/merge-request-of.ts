import { sql } from 'kysely'
import { isDraft } from '#code/merge-requests/draft.ts'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import type { DescribedMergeRequest } from './predefined-variables.ts'

/** What variables tell of a merge request. @throws 404 when it is gone */
export async function mergeRequestOf(db: Db, id: number): Promise<DescribedMergeRequest> {
  const { rows } = await sql<Omit<DescribedMergeRequest, 'draft'>>`
    select m.id, m.iid, m.title, m.description, m.source_branch, m.target_branch, m.base_sha,
        json_build_object('id', m.source_project_id, 'full_path', s.full_path) as source_project,
        json_build_object('id', m.project_id, 'full_path', t.full_path) as target_project,
        array(select l.name from merge_request_labels ml join labels l on l.id = ml.label_id where ml.merge_request_id = m.id order by l.name)
          as labels,
        (select title from milestones where id = m.milestone_id) as milestone,
        array(select u.username from merge_request_assignees a join users u on u.id = a.user_id where a.merge_request_id = m.id
          order by u.username) as assignees,
        exists (select from merge_request_approvals where merge_request_id = m.id) as approved,
        exists (select from protected_references r where r.project_id = m.project_id and r.kind = 'branch'
          and r.name = m.target_branch) as "isTargetProtected"
      from merge_requests m
        join projects tp on tp.id = m.project_id join namespaces t on t.id = tp.project_namespace_id
        left join projects sp on sp.id = m.source_project_id left join namespaces s on s.id = sp.project_namespace_id
      where m.id = ${id}`.execute(db)
  const [row] = rows
  if (row === undefined) throw notFound('Merge request')
  return { ...row, draft: isDraft(row.title) }
}
