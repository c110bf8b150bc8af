import type { FastifyRequest } from 'fastify'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Author, WrittenBy } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { maySend, protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { changerOf, writtenByCaller } from '#code/repositories/change-as.ts'
import type { ReferenceChanger } from '#code/repositories/rules.ts'
import { demandsApprovals } from '../approvals/tier.ts'

/** Who merges or rebases a merge request: the caller, or in a job the user who asked for it. */
export interface MergeActor {
  readonly author: Author
  readonly by: WrittenBy
  readonly viewer: Viewer
  /** Where the web pages are for them. */
  readonly site: string
  /** The project of the merge request. */
  readonly authorized: AuthorizedProject
  readonly changer: ReferenceChanger
  /** Whether the plan has required approvals. */
  readonly demandsApprovals: boolean
}

/** The caller. */
export const mergeActorOf = (req: FastifyRequest): MergeActor => ({
  author: req.user(),
  by: writtenByCaller(req),
  viewer: req.viewer,
  site: req.site,
  authorized: req.project(),
  changer: changerOf(req),
  demandsApprovals: demandsApprovals(req.server.services),
})

/**
 * A user who asked for it earlier, with the rights that they have now.
 * @param request `ability` is what they must be allowed to do in the project, by default to read its merge requests.
 * @returns undefined for a user who is blocked, or lacks the ability by now
 */
export async function mergeActorFor(
  job: Pick<JobContext, 'db' | 'repositories' | 'currentPlan'>,
  request: {
    readonly userId: number
    readonly projectId: number
    readonly site: string
    readonly ability?: 'commit_code'
  },
): Promise<MergeActor | undefined> {
  const { db } = job
  const viewer = await viewerOfUser(job.repositories.source, request.userId, null)
  const author = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', request.userId)
    .executeTakeFirst()
  if (viewer === undefined || author === undefined) return undefined
  const { projectId, ability = 'read_merge_request' } = request
  const authorized = await authorizeIfAllowed(db, viewer, projectId, ability)
  if (authorized === undefined) return undefined
  return {
    author,
    by: { author, ip: null },
    viewer,
    site: request.site,
    authorized,
    changer: { accessContext: authorized.accessContext, userId: author.id },
    demandsApprovals: demandsApprovals(job),
  }
}

/** Whether somebody may merge into a branch. Into a protected one, its protection must let them merge or push. */
export async function mayMergeInto(
  db: Parameters<typeof protectionsOf>[0],
  { authorized, changer, viewer: { today } }: Pick<MergeActor, 'authorized' | 'changer' | 'viewer'>,
  branch: string,
): Promise<boolean> {
  const { container, can } = authorized
  if (!can('push_code')) return false
  const query = { projectId: container.id, kind: 'branch', userId: changer.userId, today } as const
  const protections = protecting(await protectionsOf(db, query), branch)
  return protections.length === 0 || protections.some((protection) => maySend(protection, true, changer))
}
