import type { FastifyRequest } from 'fastify'
import { authorizeIfAllowed } from '#platform/access/act-for.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict, forbidden, notPossible } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { tipOf } from '../branches.ts'
import type { MergeRequestRow } from '../queries.ts'
import { rebaseMergeRequest } from './rebase.ts'

/** Milliseconds after which a rebase that nobody has finished may begin anew. */
const ABANDONED_AFTER_MS = 3_600_000

/** Whether a rebase is under way. */
export const isRebasing = (
  { rebasing_since }: Pick<MergeRequestRow, 'rebasing_since'>,
  now: number,
): boolean => rebasing_since !== null && now - Date.parse(rebasing_since) < ABANDONED_AFTER_MS

/** Begins to rebase a merge request, which is locked. @throws 405 for one that is not open, 409 while a rebase is under way */
export async function beginRebase(
  tx: Tx,
  row: Pick<MergeRequestRow, 'id' | 'state' | 'rebasing_since'>,
  { userId, site }: { readonly userId: number; readonly site: string },
): Promise<void> {
  if (row.state !== 'opened') throw notPossible()
  if (isRebasing(row, Date.parse(tx.now))) throw conflict('409 Conflict - a rebase is under way already')
  await tx.db
    .updateTable('merge_requests')
    .set({ rebasing_since: tx.now, merge_error: null })
    .where('id', '=', row.id)
    .execute()
  await enqueue(tx, rebaseMergeRequest, { merge_request_id: row.id, user_id: userId, site })
}

/** The source branch of a merge request, for those who may push to it. */
export interface PushableSource {
  readonly repository: StoredRepository
  /** The tip of the branch. */
  readonly tip: string
  /** Their rights there. */
  readonly authorized: AuthorizedProject
}

type Source = Pick<MergeRequestRow, 'source_project_id' | 'source_branch'>

/** The source branch, if the caller may push to it; otherwise why not. */
export async function pushableSource(
  req: Pick<FastifyRequest, 'viewer' | 'server'>,
  { source_project_id, source_branch }: Source,
): Promise<PushableSource | 'Source branch does not exist' | 'Cannot push to source branch'> {
  const { repositories } = req.server.services
  const gone = 'Source branch does not exist'
  if (source_project_id === null) return gone
  const authorized = await authorizeIfAllowed(req.server.db, req.viewer, source_project_id, 'commit_code')
  if (authorized === undefined || authorized.accessContext.branches?.includes(source_branch) === false)
    return 'Cannot push to source branch'
  const repository = await repositories.ofProject(source_project_id)
  const tip = await tipOf(repository, source_branch)
  return repository === undefined || tip === undefined ? gone : { repository, tip, authorized }
}

/** Why the caller may not rebase a merge request, as far as the source project goes; undefined when they may. */
export async function refusalOfRebase(
  req: Pick<FastifyRequest, 'viewer' | 'server'>,
  row: Source,
): Promise<string | undefined> {
  const source = await pushableSource(req, row)
  return typeof source === 'string' ? source : undefined
}

/** @throws 403 with the reason */
export async function assertMayRebase(req: FastifyRequest, row: Source): Promise<void> {
  const reason = await refusalOfRebase(req, row)
  if (reason !== undefined) throw forbidden(reason)
}
