import { sql } from 'kysely'
import type { ProjectPlace } from '#platform/access/doors.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveMentions } from '#planning/references/resolve-mentions.ts'
import { resolveReferences } from '#planning/references/resolve-references.ts'

import { mentionGroups } from './mention-groups.ts'

/** Who writes, and where the web pages live, whose URLs are references too. */
export interface Writer {
  readonly viewer: Viewer
  readonly site: string
}

/** A text on an issue. */
interface Source {
  readonly issue: { readonly id: number; readonly iid: number }
  readonly place: ProjectPlace
  /** Null for the description. */
  readonly noteId: number | null
  /** What is said internally is heard by nobody elsewhere. */
  readonly internal?: boolean
  /** Whether an earlier text stood there. */
  readonly changed?: boolean
}

/** Other issues told of one text. */
const MAX_TOLD = 50

/**
 * Keeps who is named in a text on an issue, and tells the issues that it refers to: those that the writer may see
 * get the record "mentioned in issue #12", once each.
 */
export async function recordMentions(
  tx: Tx,
  { viewer, site }: Writer,
  source: Source,
  text: string,
): Promise<void> {
  const references = parseReferences(text, site)
  const { users, groups } = await resolveMentions(tx.db, viewer, source.place.namespace_id, references)
  const named = users.filter(({ mayRead }) => mayRead).map(({ id }) => id)
  if (named.length > 0 || source.changed) await keepNamed(tx, source, named)
  if (groups.length > 0) {
    const group_ids = groups.map(({ id }) => id)
    await enqueue(tx, mentionGroups, { issue_id: source.issue.id, note_id: source.noteId, group_ids })
  }
  if (!source.internal) await tellIssues(tx, viewer, source, references)
}

async function keepNamed(tx: Tx, { issue, noteId }: Source, named: readonly number[]): Promise<void> {
  await sql`
    with gone as (
      delete from user_mentions where noteable_id = ${issue.id} and note_id is not distinct from ${noteId}::bigint
        and user_id <> all(${named}::bigint[])
    )
    insert into user_mentions (noteable_id, note_id, user_id)
    select ${issue.id}::bigint, ${noteId}::bigint, unnest(${named}::bigint[])
    on conflict do nothing`.execute(tx.db)
}

async function tellIssues(
  tx: Tx,
  viewer: Viewer,
  { issue, place }: Source,
  references: readonly Reference[],
): Promise<void> {
  const asked = references.filter(({ kind }) => kind === 'issue')
  if (asked.length === 0) return
  const found = await resolveReferences(tx.db, viewer, place, asked)
  const targets = new Map(
    found.flatMap(({ target }) => (target.type === 'Issue' ? [[target.id, target] as const] : [])),
  )
  targets.delete(issue.id)
  for (const id of await alreadyTold(tx, issue.id, [...targets.keys()])) targets.delete(id)
  for (const target of [...targets.values()].slice(0, MAX_TOLD)) {
    const here = target.namespace_id === place.namespace_id
    const reference = `${here ? '' : place.full_path}#${issue.iid}`
    record(tx, {
      name: 'issue mentioned',
      namespace: target.namespace_id,
      target: { type: 'Issue', id: target.id },
      details: { issue_id: issue.id, reference },
    })
  }
}

async function alreadyTold(tx: Tx, sourceId: number, targetIds: readonly number[]): Promise<number[]> {
  if (targetIds.length === 0) return []
  const rows = await tx.db
    .selectFrom('notes')
    .select('noteable_id')
    .where('about_noteable_id', '=', sourceId)
    .where('mention', '=', true)
    .where(sql<boolean>`noteable_id = any(${targetIds}::bigint[])`)
    .execute()
  return rows.map(({ noteable_id }) => noteable_id)
}
