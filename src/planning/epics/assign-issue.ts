import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { unprocessable } from '#platform/refusals.ts'
import { aboutIssue, naming } from '#planning/issues/facts-about.ts'
import { GAP } from '#planning/issues/order/positions.ts'
import { aboutEpic, namingEpic } from './facts-about.ts'
import { MAX_ISSUES } from './limits.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { findEpicById, mayLinkIn } from './tree.ts'
import { refreshDates } from './refresh-dates.ts'

interface Epic {
  readonly id: number
  readonly iid: number
  readonly group_id: number
  readonly full_path: string
}

interface Issue {
  readonly id: number
  readonly iid: number
  readonly namespace_id: number
  readonly full_path: string
  readonly confidential: boolean
}

/**
 * Puts an issue into an epic, after its other issues, or into none. An issue is in one epic at most, so it leaves the one that
 * it was in.
 * @param issue is locked.
 * @param epic stays until the transaction ends, and the caller may link there.
 * @returns whether anything changed.
 * @throws 422 for an epic with too many issues, and for an open issue in a confidential epic
 */
export async function assignIssue(tx: Tx, issue: Issue, epic: Epic | null): Promise<boolean> {
  const former = await epicOf(tx, issue.id)
  if (former?.id === epic?.id) return false
  if (former !== undefined) await takeOut(tx, issue, former)
  if (epic !== null) await putIn(tx, issue, epic)
  await refreshDates(
    tx,
    [former?.id, epic?.id].filter((id) => id !== undefined).toSorted((a, b) => a - b),
  )
  return true
}

/** Why an issue cannot be put into an epic that the viewer may see, as a sentence; undefined when it can. */
export async function obstacleToIssue(
  tx: Tx,
  viewer: Viewer,
  epicId: number,
  issue: Pick<Issue, 'confidential'>,
): Promise<string | undefined> {
  const epic = await findEpicById(tx, viewer, epicId)
  if (!(await mayLinkIn(tx, viewer, epic))) return 'Only members of the group can put issues into its epics.'
  return epic.confidential && !issue.confidential ? CONFIDENTIAL : undefined
}

const CONFIDENTIAL = 'The issue cannot be added: issues of a confidential epic are confidential, too.'

/** The epic of an issue, whoever may see it. */
const epicOf = (tx: Tx, issueId: number): Promise<Epic | undefined> =>
  tx.db
    .selectFrom('epic_issues as k')
    .innerJoin('epics as e', 'e.id', 'k.epic_id')
    .innerJoin('namespaces as n', 'n.id', 'e.group_id')
    .select(['e.id', 'e.iid', 'e.group_id', 'n.full_path'])
    .where('k.issue_id', '=', issueId)
    .executeTakeFirst()

async function takeOut(tx: Tx, issue: Issue, epic: Epic): Promise<void> {
  await tx.db.deleteFrom('epic_issues').where('issue_id', '=', issue.id).execute()
  const { noteable_id: issue_id, reference } = namingEpic(epic, issue.namespace_id)
  record(
    tx,
    { ...aboutEpic(epic), name: 'epic issue removed', details: asSeenFrom(epic, issue) },
    { ...aboutIssue(issue), name: 'issue removed from epic', details: { issue_id, reference } },
  )
}

async function isConfidential(tx: Tx, epicId: number): Promise<boolean> {
  const found = await tx.db
    .selectFrom('epics')
    .select('confidential')
    .where('id', '=', epicId)
    .executeTakeFirst()
  return found?.confidential === true
}

async function putIn(tx: Tx, issue: Issue, epic: Epic): Promise<void> {
  // Since it was read, somebody may have made it confidential; from now on nobody can.
  if (!issue.confidential && (await isConfidential(tx, epic.id))) throw unprocessable(CONFIDENTIAL)
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto('epic_issues')
    .columns(['epic_id', 'issue_id', 'relative_position', 'created_at'])
    .expression(
      sql`select ${epic.id}::bigint, ${issue.id}::bigint, coalesce(max(k.relative_position), 0) + ${GAP}::integer, ${tx.now}::timestamptz
        from epic_issues k where k.epic_id = ${epic.id} having count(*) < ${MAX_ISSUES}`,
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw unprocessable(`&${epic.iid} has ${MAX_ISSUES} issues, which is as many as an epic can have`)
  const { noteable_id: issue_id, reference } = namingEpic(epic, issue.namespace_id)
  record(
    tx,
    { ...aboutEpic(epic), name: 'epic issue added', details: asSeenFrom(epic, issue) },
    { ...aboutIssue(issue), name: 'issue added to epic', details: { issue_id, reference } },
  )
}

function asSeenFrom({ group_id }: Epic, issue: Issue) {
  const { issue_id: noteable_id, reference } = naming(issue, { namespace_id: group_id })
  return { noteable_id, reference }
}
