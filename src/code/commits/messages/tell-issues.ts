import type { Commit } from '#code/git/commit.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { closeIssues, type IssueClosing } from '#planning/issues/close-issues.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { tellOfMentions } from '#planning/noteables/record-mentions.ts'
import type { NoteableTarget } from '#planning/references/resolve-references.ts'
import { commitNoteable } from '../notes/noteable.ts'
import { insertNotedCommits } from '../notes/noted-commits.ts'

/** The project of commits. */
export interface CommitProject extends TreePosition {
  readonly id: number
  readonly full_path: string
  /** The namespace of the project that it was forked from. */
  readonly forked_from: number | null
}

/** An issue that the message of a commit names. */
export interface IssueMention {
  readonly commit: Commit
  readonly target: NoteableTarget
  readonly closes: boolean
}

/**
 * Closes issues that commits close, and says on the others that commits mention them, once for each commit and issue. The number of
 * statements does not depend on how many there are.
 */
export async function tellIssues(
  tx: Tx,
  viewer: Viewer,
  source: CommitProject,
  named: readonly IssueMention[],
): Promise<void> {
  const closed = new Set(named.flatMap(({ closes, target }) => (closes ? [target.id] : [])))
  const mentioned = named.map(({ target }) => target.id).filter((id) => !closed.has(id))
  await lockReferencedRows(tx, { noteables: [...new Set(mentioned)] })
  // Nobody who waits for these new rows holds a lock that this transaction takes after it.
  const rows = await insertNotedCommits(
    tx,
    source,
    named.map(({ commit }) => commit.id),
  )
  const all = named.flatMap((one) => {
    const id = rows.get(one.commit.id)
    return id === undefined ? [] : [{ ...one, id }]
  })
  const closings = await closeIssues(tx, viewer, all.filter(({ closes }) => closes).map(closingOf(source)))
  const done = new Set(closings.map(({ issueId, by }) => `${by.noteable_id} ${issueId}`))
  const left = new Map(all.map((one) => [`${one.id} ${one.target.id}`, one]))
  for (const key of done) left.delete(key)
  const mentions = [...left.values()].map(({ id, commit, target }) => ({
    noteable: { id, noun: commitNoteable.noun, reference: commit.id, separator: '@' },
    namespace: source,
    target,
  }))
  await tellOfMentions(tx, mentions, mentions.length)
}

const closingOf =
  (source: CommitProject) =>
  ({ id, commit, target }: IssueMention & { readonly id: number }): IssueClosing => {
    const path = target.namespace_id === source.namespace_id ? '' : `${source.full_path}@`
    const by = { noteable_id: id, sha: commit.id, reference: `${path}${commit.id.slice(0, 8)}` }
    return { issueId: target.id, by }
  }
