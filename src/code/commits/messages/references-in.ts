import type { Commit } from '#code/git/commit.ts'
import { closingReferences } from '#planning/references/closing.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'

/** A reference to an issue in the message of a commit. */
export interface ReferenceInCommit {
  readonly commit: Commit
  readonly reference: Reference
  readonly closes: boolean
}

/** The references to issues in the messages of some commits, each commit's in order. */
export function referencesIn(commits: readonly Commit[], site: string): readonly ReferenceInCommit[] {
  return commits.flatMap((commit) => inMessage(commit, site))
}

function inMessage(commit: Commit, site: string): ReferenceInCommit[] {
  const references = parseReferences(commit.message, site)
  const closing = new Set<Reference>(closingReferences(commit.message, references))
  const issues = references.filter(({ kind }) => kind === 'issue')
  return issues.map((reference) => ({ commit, reference, closes: closing.has(reference) }))
}
