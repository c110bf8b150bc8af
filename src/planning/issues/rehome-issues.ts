import { type RawBuilder, sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { nextIids } from '#identity/namespaces/next-iid.ts'

/**
 * Runs after a project, or a group with everything below it, has moved. Labels and milestones of groups that are no
 * longer above are replaced by those of the same name at the new location, or else by a copy in the project. Boards of
 * projects get theirs afterwards: planning/boards/rehome-boards.ts.
 *
 * @param nodeId the namespace that moved.
 * @param former the ids of the groups that were above it.
 * @throws {InTheWay} when another transaction renamed, deleted or assigned a label or milestone meanwhile.
 */
export async function rehomeIssues(tx: Tx, nodeId: number, former: readonly number[]): Promise<void> {
  if (former.length === 0) return
  const labels = strayLabels(nodeId, former)
  const milestones = strayMilestones(nodeId, former)
  await lockStrays(tx, { labels, milestones })
  await copyLabels(tx, labels)
  await moveToOwnLabels(tx, labels)
  await copyMilestones(tx, milestones)
  await moveToOwnMilestones(tx, milestones)
}

type Sql = RawBuilder<unknown>

/** The projects that moved. */
const moved = (nodeId: number) => sql`
  select p.id as project_id, n.id as namespace_id, n.traversal_ids
  from namespaces n join projects p on p.project_namespace_id = n.id
  where n.traversal_ids @> array[${nodeId}]::bigint[]`

/** Each label of a former group that issues or boards of a moved project use: its id and name, and the namespace of the project. */
const strayLabels = (nodeId: number, former: readonly number[]) => sql`
  select distinct m.project_id, m.namespace_id, m.traversal_ids, l.id, l.name
  from (${moved(nodeId)}) m
    join issues i on i.project_id = m.project_id
    join issue_labels c on c.issue_id = i.id
    join labels l on l.id = c.label_id
  where l.namespace_id = any(${[...former]}::bigint[]) and l.namespace_id <> all (m.traversal_ids)
  union select m.project_id, m.namespace_id, m.traversal_ids, l.id, l.name
  from (${moved(nodeId)}) m
    join boards b on b.namespace_id = m.namespace_id
    join (select board_id, label_id from board_lists union all select board_id, label_id from board_labels) c
      on c.board_id = b.id
    join labels l on l.id = c.label_id
  where l.namespace_id = any(${[...former]}::bigint[]) and l.namespace_id <> all (m.traversal_ids)`

/** The same for milestones. */
const strayMilestones = (nodeId: number, former: readonly number[]) => sql`
  select distinct m.project_id, m.namespace_id, m.traversal_ids, s.id, s.title as name
  from (${moved(nodeId)}) m
    join issues i on i.project_id = m.project_id
    join milestones s on s.id = i.milestone_id
  where s.namespace_id = any(${[...former]}::bigint[]) and s.namespace_id <> all (m.traversal_ids)
  union select m.project_id, m.namespace_id, m.traversal_ids, s.id, s.title
  from (${moved(nodeId)}) m
    join boards b on b.namespace_id = m.namespace_id
    join (select id as board_id, milestone_id from boards union all select board_id, milestone_id from board_lists) c
      on c.board_id = b.id
    join milestones s on s.id = c.milestone_id
  where s.namespace_id = any(${[...former]}::bigint[]) and s.namespace_id <> all (m.traversal_ids)`

/**
 * Keeps stray labels and milestones from being renamed or deleted, and the issues that have them from being changed or
 * deleted.
 */
async function lockStrays(
  { db }: Tx,
  strays: { readonly labels: Sql; readonly milestones: Sql },
): Promise<void> {
  const idsOf = (found: Sql) => sql`select id from (${found}) stray`
  await sql`select 1 from milestones where id in (${idsOf(strays.milestones)}) order by id for key share`.execute(
    db,
  )
  await sql`select 1 from labels where id in (${idsOf(strays.labels)}) order by id for key share`.execute(db)
  await sql`
    with strays as (${strays.labels}), ends as (${strays.milestones})
    select 1 from noteables o where o.id in (
      select c.issue_id from strays s join issue_labels c on c.label_id = s.id
        join issues j on j.id = c.issue_id and j.project_id = s.project_id
      union select j.id from ends e join issues j on j.milestone_id = e.id and j.project_id = e.project_id)
    order by o.id for no key update`.execute(db)
}

/** @throws {InTheWay} when something has no replacement: the transfer then runs again. */
function assertAllMoved({ rows }: { readonly rows: readonly { readonly lost: boolean }[] }): void {
  if (rows.some(({ lost }) => lost)) throw new InTheWay('labels or milestones of moved issues were changed')
}

/** The label or milestone with a stray one's name in its project or above, the nearest first. */
const ownLabel = sql`select l.id from labels l
  where l.name = stray.name and l.namespace_id = any(stray.traversal_ids)
  order by array_position(stray.traversal_ids, l.namespace_id) desc limit 1`

const ownMilestone = sql`select s.id from milestones s
  where s.title = stray.name and s.namespace_id = any(stray.traversal_ids)
  order by array_position(stray.traversal_ids, s.namespace_id) desc limit 1`

/** Those that have no replacement at the new location; of several with one name, the nearest that was above. */
const lacking = (strays: Sql, own: Sql) => sql`
  select distinct on (stray.namespace_id, stray.name) stray.namespace_id, stray.id
  from (${strays}) stray where not exists (${own})
  order by stray.namespace_id, stray.name, stray.id desc`

async function copyLabels(tx: Tx, strays: Sql): Promise<void> {
  await sql`insert into labels (namespace_id, name, color, description, archived, created_at, updated_at)
    select lacking.namespace_id, l.name, l.color, l.description, l.archived, ${tx.now}, ${tx.now}
    from (${lacking(strays, ownLabel)}) lacking join labels l on l.id = lacking.id`.execute(tx.db)
}

/** Replaces stray labels in issues, in their events, and in the projects' priorities. */
async function moveToOwnLabels(tx: Tx, strays: Sql): Promise<void> {
  const moving = sql<{ lost: boolean }>`
    with strays as (
      select stray.project_id, stray.id as from_id, (${ownLabel}) as to_id from (${strays}) stray
    ), own as (
      select project_id, from_id, to_id from strays where to_id is not null
    ), carried as (
      delete from issue_labels c using own, issues i
      where c.label_id = own.from_id and i.id = c.issue_id and i.project_id = own.project_id
      returning c.issue_id, own.to_id
    ), ranked as (
      delete from label_priorities p using own
      where p.label_id = own.from_id and p.project_id = own.project_id
      returning p.project_id, own.to_id, p.priority
    ), told as (
      update resource_events e set label_id = own.to_id from own, issues i
      where e.label_id = own.from_id and i.id = e.noteable_id and i.project_id = own.project_id
    ), prioritized as (
      insert into label_priorities (project_id, label_id, priority)
      select project_id, to_id, min(priority) from ranked group by project_id, to_id
      on conflict do nothing
    ), given as (
      insert into issue_labels (issue_id, label_id) select distinct issue_id, to_id from carried
      on conflict do nothing
    )
    select exists (select 1 from strays where to_id is null) as lost`
  assertAllMoved(await moving.execute(tx.db))
}

async function copyMilestones(tx: Tx, strays: Sql): Promise<void> {
  const needed = sql`select namespace_id, count(*)::integer as count from lacking group by namespace_id`
  await sql`
    with lacking as (${lacking(strays, ownMilestone)}), numbered as (${nextIids('milestone', needed)})
    insert into milestones (namespace_id, iid, title, description, state, start_date, due_date, created_at, updated_at)
    select n.namespace_id, n.last_iid + 1 - row_number() over (partition by n.namespace_id order by s.id desc) as iid,
      s.title, s.description, s.state, s.start_date, s.due_date, ${tx.now}, ${tx.now}
    from lacking l join numbered n on n.namespace_id = l.namespace_id join milestones s on s.id = l.id
    order by iid`.execute(tx.db)
}

/** Replaces stray milestones in issues and in their events. */
async function moveToOwnMilestones(tx: Tx, strays: Sql): Promise<void> {
  const moving = sql<{ lost: boolean }>`
    with strays as (
      select stray.project_id, stray.id as from_id, (${ownMilestone}) as to_id from (${strays}) stray
    ), own as (
      select project_id, from_id, to_id from strays where to_id is not null
    ), told as (
      update resource_events e set milestone_id = own.to_id from own, issues i
      where e.milestone_id = own.from_id and i.id = e.noteable_id and i.project_id = own.project_id
    ), given as (
      update issues i set milestone_id = own.to_id from own
      where i.milestone_id = own.from_id and i.project_id = own.project_id
    )
    select exists (select 1 from strays where to_id is null) as lost`
  assertAllMoved(await moving.execute(tx.db))
}
