import { branchOf, BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { ReferenceRule, RuleContext, RuledChange } from '#code/repositories/rules.ts'
import { listFiles } from './list-files.ts'
import { MOST_FILES } from './parameters.ts'

/** Keeps snippets small: one branch, a few files, and no more bytes than the setting says. */
export const snippetRule: ReferenceRule = {
  async refusals(changes, context) {
    const refused = new Map<string, string>()
    if (context.row.kind !== 'snippet') return refused
    for (const change of changes) {
      const refusal = await refusalOf(change, context)
      if (refusal !== undefined) refused.set(change.ref, refusal)
    }
    return refused
  },
}

async function refusalOf(
  { ref, after, action }: RuledChange,
  { repository, row, settings }: RuleContext,
): Promise<string | undefined> {
  const isOnly =
    row.default_branch === null ? branchOf(ref) !== undefined : ref === BRANCHES + row.default_branch
  if (!isOnly) return 'a snippet has no tags and no branches besides its default branch'
  if (action === 'deleted' || after === NO_OBJECT) return 'the branch of a snippet cannot be deleted'
  return refusalOfFiles(repository, after, settings.snippet_size_limit)
}

/** Why a snippet may not have the files of a commit. */
export async function refusalOfFiles(
  repository: Repository,
  id: string,
  most: number,
): Promise<string | undefined> {
  const commit = await resolveCommit(repository, id)
  if (commit === undefined) return 'the branch of a snippet must be a commit'
  const files = await listFiles(repository, commit)
  if (files === undefined) return `a snippet may have at most ${MOST_FILES} files`
  if (files.length === 0) return 'a snippet must have a file'
  return refusalOfSize(
    files.reduce((sum, { size }) => sum + size, 0),
    most,
  )
}

export const refusalOfSize = (bytes: number, most: number): string | undefined =>
  bytes > most ? `the files of a snippet have ${bytes} bytes, and may have at most ${most}` : undefined
