import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import { branchOf } from '#code/git/names.ts'
import { aboutMergeRequest } from '../facts-about.ts'

interface Reset {
  readonly id: number
  readonly namespace_id: number
  readonly usernames: readonly string[]
}

/** Takes all approvals of merge requests back, which are locked. */
export async function resetApprovals(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<Reset>`
    with gone as (
      delete from merge_request_approvals where merge_request_id = any(${[...ids]}::bigint[])
      returning merge_request_id, user_id
    ), reviews as (
      update merge_request_reviewers w set state = 'unreviewed' from gone
        where w.merge_request_id = gone.merge_request_id and w.user_id = gone.user_id and w.state = 'approved'
    ), moved as (
      update noteables set updated_at = ${tx.now}::timestamptz where id in (select merge_request_id from gone)
    )
    select t.id, t.namespace_id, json_agg(u.username order by u.username) as usernames
      from gone join noteables t on t.id = gone.merge_request_id join users u on u.id = gone.user_id
      group by t.id, t.namespace_id order by t.id`.execute(tx.db)
  const facts = rows.map(({ usernames, ...target }) => ({
    ...aboutMergeRequest(target),
    name: 'merge request approvals reset' as const,
    details: { usernames },
  }))
  record(tx, ...facts)
}

/** A push to a source branch takes the approvals back, where the target project wants it so. */
export const resetOnPush: RecordStep = {
  async prepare({ row, changes }) {
    const { project_id, kind } = row
    const branches = changes.flatMap(({ ref }) => branchOf(ref) ?? [])
    if (kind !== 'project' || project_id === null || branches.length === 0) return async () => {}
    return async (tx) => resetApprovals(tx, await lockApproved(tx, project_id, branches))
  },
}

/** Locks the open merge requests of these branches that somebody has approved. @returns their ids */
async function lockApproved(tx: Tx, sourceId: number, branches: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select t.id from noteables t where t.id in (
      select mr.id from merge_requests mr
        left join project_approval_settings s on s.project_id = mr.project_id
        where mr.source_project_id = ${sourceId} and mr.source_branch = any(${[...branches]}::text[])
          and mr.state = 'opened' and coalesce(s.reset_approvals_on_push, true)
          and exists (select 1 from merge_request_approvals a where a.merge_request_id = mr.id))
      order by t.id for no key update`.execute(tx.db)
  return rows.map(({ id }) => id)
}
