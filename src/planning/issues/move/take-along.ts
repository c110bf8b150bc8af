import { sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { labelAt, milestoneAt } from './at-target.ts'

/**
 * Transfers to the new issue what only a move takes along: emoji, time, subscribers, links, events of state and weight,
 * and events of labels and milestones that the new project has too.
 */
export async function takeAlong(
  tx: Tx,
  issueId: number,
  copyId: number,
  there: ProjectContainer,
): Promise<void> {
  await sql`
    with emoji as (
      insert into award_emoji (noteable_id, name, user_id, created_at, updated_at)
      select ${copyId}::bigint, name, user_id, created_at, updated_at from award_emoji where noteable_id = ${issueId}
    ), time as (
      insert into timelogs (noteable_id, user_id, time_spent, summary, spent_at)
      select ${copyId}::bigint, user_id, time_spent, summary, spent_at from timelogs where noteable_id = ${issueId} order by id
    ), subscribers as (
      insert into subscriptions (noteable_id, user_id, subscribed)
      select ${copyId}::bigint, user_id, subscribed from subscriptions where noteable_id = ${issueId}
    )
    insert into resource_events (kind, noteable_id, user_id, created_at, state, label_id, milestone_id, action, weight)
    select e.kind, ${copyId}::bigint, e.user_id, e.created_at, e.state, own.label_id, own.milestone_id, e.action, e.weight
    from resource_events e cross join lateral (
      select ${labelAt(there, sql`e.label_id`)} as label_id, ${milestoneAt(there, sql`e.milestone_id`)} as milestone_id
    ) own
    where e.noteable_id = ${issueId} and (e.kind in ('state', 'weight') or num_nonnulls(own.label_id, own.milestone_id) > 0)
    order by e.id`.execute(tx.db)
  await sql`
    update issue_links set
      source_id = case source_id when ${issueId} then ${copyId}::bigint else source_id end,
      target_id = case target_id when ${issueId} then ${copyId}::bigint else target_id end
    where source_id = ${issueId} or target_id = ${issueId}`.execute(tx.db)
}
