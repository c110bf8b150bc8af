import { authorizeProject } from '#platform/access/authorize.ts'
import { HttpError } from '#platform/http/errors.ts'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { MergeRequestRow } from '../queries.ts'
import type { Merger } from './merger.ts'

/**
 * Removes the source branch of what was merged, in the name of whoever merged it. A branch that they may not delete, that is protected or
 * the default one, or that has moved since, stays: the merge has happened all the same.
 */
export async function removeSource(
  repositories: Repositories,
  { viewer, by, site }: Merger,
  { source_project_id, source_branch, head_sha }: MergeRequestRow,
): Promise<void> {
  if (source_project_id === null) return
  try {
    const { source } = repositories
    const authorized = await authorizeProject(source.db, viewer, String(source_project_id), 'push_code')
    const repository = await repositories.ofProject(source_project_id)
    if (repository === undefined) return
    const { accessContext } = authorized
    await changeReferences(repositories, repository, {
      changes: [{ ref: BRANCHES + source_branch, before: head_sha, after: NO_OBJECT }],
      by,
      changer: { accessContext, userId: viewer.id },
      cause: 'api',
      site,
    })
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
  }
}
