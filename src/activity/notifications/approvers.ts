import { type RawBuilder, sql } from 'kysely'
import { rulesOfOne } from '#code/merge-requests/approvals/sql.ts'
import { current } from '#platform/access/visible.ts'
import type { Operand } from '#platform/db/statement.ts'

/** A query for the ids of those whom the rules for a merge request name, by themselves or as members of a group. */
export const approversOf = (
  mergeRequest: RawBuilder<number>,
  today: Operand<string>,
): RawBuilder<unknown> => sql`
  select named.user_id from merge_requests mr
    join lateral ${rulesOfOne} r on r.approvals_required > 0
    cross join lateral (
      select ru.user_id from approval_rule_users ru where ru.rule_id = r.id
      union
      select m.user_id from approval_rule_groups rg
        join namespaces g on g.id = rg.group_id and g.deleted_at is null
        join members m on m.namespace_id = any(g.traversal_ids) and ${current('m', today)}
        where rg.rule_id = r.id) named
    where mr.id = ${mergeRequest} and named.user_id <> mr.author_id`

/** A query for the ids of those whom a merge request is assigned to. */
export const assigneesOf = (mergeRequest: RawBuilder<number>): RawBuilder<unknown> => sql`
  select a.user_id from merge_request_assignees a where a.merge_request_id = ${mergeRequest}`
