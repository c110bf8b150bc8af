import { authorizeNamedProject, type AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import type { ItemReference } from '#planning/quick-actions/draft.ts'
import type { IssueRow } from '../queries.ts'

/** The project that an issue goes to, if the viewer may plan issues there. */
export async function placeFor(
  tx: Tx,
  viewer: Viewer,
  idOrPath: number | string,
): Promise<AuthorizedProject | undefined> {
  try {
    return await authorizeNamedProject(tx.db, viewer, String(idOrPath), 'admin_issue')
  } catch (error) {
    if (error instanceof NotFound || error instanceof NotAllowed) return undefined
    throw error
  }
}

/** Why an issue cannot be moved to a project, as a sentence; undefined when it can. */
export async function obstacleToMove(
  tx: Tx,
  viewer: Viewer,
  { project_id, moved_to_id }: Pick<IssueRow, 'project_id' | 'moved_to_id'>,
  there: ItemReference,
): Promise<string | undefined> {
  if (there.id === project_id) return 'This issue is in that project already.'
  if (moved_to_id !== null) return 'This issue was moved before.'
  return obstacleToClone(tx, viewer, there)
}

/** The same for a clone. */
export async function obstacleToClone(
  tx: Tx,
  viewer: Viewer,
  { id, reference }: ItemReference,
): Promise<string | undefined> {
  const place = await placeFor(tx, viewer, id)
  return place === undefined ? `You may not bring issues to ${reference}.` : undefined
}
