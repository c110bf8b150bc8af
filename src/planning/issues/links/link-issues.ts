import { sql } from 'kysely'
import type { IssueLinkType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { unprocessable } from '#platform/refusals.ts'
import { record } from '#platform/facts/record.ts'
import { aboutIssue, naming } from '../facts-about.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import type { IssueRow } from '../queries.ts'
import type { LinkType } from './entity.ts'

type Linked = Pick<IssueRow, 'id' | 'iid' | 'namespace_id' | 'full_path'>

/** Roughly the most links that an issue can have, because they are listed all at once. */
const MAX_LINKS = 1_000

/** The relation in the source's system note and in the target's. */
const relations = {
  relates_to: ['related to', 'related to'],
  blocks: ['blocking', 'blocked by'],
} as const satisfies Record<IssueLinkType, readonly [string, string]>

/**
 * Links two issues; `type` is what the first is to the second.
 * @returns the id of the link.
 * @throws 409 when they are linked already, 422 for an issue with itself or when one of the two has too many links.
 */
export async function linkIssues(tx: Tx, issue: Linked, other: Linked, type: LinkType): Promise<number> {
  if (issue.id === other.id) throw unprocessable(`#${other.iid} cannot be added: cannot be related to itself`)
  await lockReferencedRows(tx, { noteables: [issue.id, other.id] })
  await assertRoom(tx, [issue, other])
  const turned = type === 'is_blocked_by'
  const [source, target] = turned ? [other, issue] : [issue, other]
  const link_type = turned ? 'blocks' : type
  const { id } = await tx.db
    .insertInto('issue_links')
    .values({
      source_id: source.id,
      target_id: target.id,
      link_type,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const [ofSource, ofTarget] = relations[link_type]
  const name = 'issue linked'
  record(
    tx,
    { ...aboutIssue(source), name, details: { ...naming(target, source), relation: ofSource } },
    { ...aboutIssue(target), name, details: { ...naming(source, target), relation: ofTarget } },
  )
  return id
}

async function assertRoom(tx: Tx, issues: readonly Linked[]): Promise<void> {
  const ids = issues.map(({ id }) => id)
  const { rows } = await sql<{ id: number }>`
    select one.id from unnest(${ids}::bigint[]) as one (id)
    where (select count(*) from issue_links k where k.source_id = one.id or k.target_id = one.id) >= ${MAX_LINKS}`.execute(
    tx.db,
  )
  if (rows.length === 0) return
  const full = issues.find(({ id }) => id === rows[0]?.id)
  throw unprocessable(`#${full?.iid} has ${MAX_LINKS} links, which is as many as an issue can have`)
}
