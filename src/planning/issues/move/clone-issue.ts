import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { record } from '#platform/facts/record.ts'
import { copyUploads } from '#planning/uploads/copy-uploads.ts'
import { aboutIssue, naming } from '../facts-about.ts'
import { lockIssue } from '../lock-issue.ts'
import { lockCarried } from './at-target.ts'
import { type Copy, copyIssue, copyLabels, copyPeople } from './copy-issue.ts'
import { copyNotes } from './copy-notes.ts'

interface CloneOptions {
  readonly withNotes: boolean
  /** The request's user agent. */
  readonly userAgent: string | null
}

/**
 * Clones an issue as the transaction's author, into the same project or another. The clone gets labels and a milestone
 * of the same names, where they exist. The original stays as it is and keeps its emoji, spent time and links.
 * References in texts are not rewritten.
 * @throws 404
 */
export async function cloneIssue(
  tx: Tx,
  viewer: Viewer,
  here: AuthorizedProject,
  iid: number,
  { container: there }: AuthorizedProject,
  { withNotes, userAgent }: CloneOptions,
): Promise<Copy> {
  if (tx.author === null) throw new Error('An issue needs an author')
  await lockCarried(tx, there, here.container.id, iid)
  // The lock keeps the count of notes from changing meanwhile.
  const issue = await lockIssue(tx, viewer, here, iid)
  const number = await nextIid(tx, there.namespace_id, 'issue')
  const columns = {
    author_id: sql`${tx.author.id}::bigint`,
    created_at: sql`${tx.now}::timestamptz`,
    user_agent: sql`${userAgent}::text`,
    ip: sql`${tx.ip}::text`,
  }
  const copy = await copyIssue(tx, issue.id, there, number, columns, withNotes)
  await copyPeople(tx, issue.id, copy.id, there)
  const added = await copyLabels(tx, issue.id, copy.id, there)
  if (withNotes) await copyNotes(tx, issue.id, copy.id, there)
  await copyUploads(tx, { issueId: copy.id, from: here.container.namespace_id, to: there.namespace_id })
  const { milestone_id, weight } = copy
  const milestone = { from: null, to: milestone_id }
  record(
    tx,
    { ...aboutIssue(issue), name: 'issue cloned', details: naming(copy, issue) },
    { ...aboutIssue(copy), name: 'issue created', details: { iid: number, title: issue.title } },
    ...(added.length === 0
      ? []
      : [
          {
            ...aboutIssue(copy),
            name: 'issue labels changed' as const,
            details: { added, removed: [], at_creation: true as const },
          },
        ]),
    ...(milestone_id === null
      ? []
      : [{ ...aboutIssue(copy), name: 'issue milestone changed' as const, details: milestone }]),
    ...(weight === null
      ? []
      : [
          { ...aboutIssue(copy), name: 'issue weight changed' as const, details: { from: null, to: weight } },
        ]),
    { ...aboutIssue(copy), name: 'issue cloned here', details: naming(issue, copy) },
  )
  return copy
}
