import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type CommitProject } from '#code/commits/messages/tell-issues.ts'
import type { IssueClosing } from '#planning/issues/close-issues.ts'
import { closingReferences } from '#planning/references/closing.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveReferences } from '#planning/references/resolve-references.ts'
import type { AffectedMergeRequest } from './affected.ts'

/** The most issues that the merge requests of one push close. */
const MAX_CLOSED_ISSUES = 100

type Described = Pick<AffectedMergeRequest, 'title' | 'description'>

/** The text of a merge request that is searched for issues to close. */
export const searchedTextOf = ({ title, description }: Described): string =>
  `${title}\n\n${description ?? ''}`

/** A merge request whose commits came to the default branch. */
export interface LandedMergeRequest {
  readonly row: Pick<AffectedMergeRequest, 'id' | 'iid' | 'title' | 'description'>
  /** The issues that its commits close, if the commits were squashed and so are not on the branch themselves. */
  readonly squashed: readonly Reference[]
}

/** The issues that merge requests into the default branch close, as their titles, descriptions and squashed commits say. */
export async function closingsOf(
  db: Db,
  viewer: Viewer,
  source: CommitProject,
  landed: readonly LandedMergeRequest[],
  site: string,
): Promise<readonly IssueClosing[]> {
  const named = landed
    .flatMap(({ row, squashed }) => {
      const text = searchedTextOf(row)
      const written = closingReferences(text, parseReferences(text, site))
      return [...written, ...squashed].map((reference) => ({ row, reference }))
    })
    .slice(0, MAX_CLOSED_ISSUES)
  if (named.length === 0) return []
  const references = named.map(({ reference }) => reference)
  const resolved = await resolveReferences(db, viewer, source, references)
  const targets = new Map(resolved.map(({ reference, target }) => [reference, target]))
  return named.flatMap(({ row, reference }): IssueClosing[] => {
    const target = targets.get(reference)
    if (target?.type !== 'Noteable' || target.namespace_id === source.forked_from) return []
    const path = target.namespace_id === source.namespace_id ? '' : source.full_path
    const by = { noteable_id: row.id, noun: 'merge request', reference: `${path}!${row.iid}` }
    return [{ issueId: target.id, by }]
  })
}
