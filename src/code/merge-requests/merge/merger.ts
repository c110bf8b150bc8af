import type { FastifyRequest } from 'fastify'
import { type AuthorizedProject, authorizeProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Author, Tx, WrittenBy } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import { viewerOf } from '#code/commits/messages/source.ts'
import { maySend, protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { changerOf, writtenBy } from '#code/repositories/change-as.ts'
import type { ReferenceChanger } from '#code/repositories/rules.ts'
import { demandsApprovals } from '../approvals/tier.ts'

/** Who merges or rebases a merge request, in a request or in a job that carries out what they asked for. */
export interface Merger {
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
export const mergerOf = (req: FastifyRequest): Merger => ({
  author: req.user(),
  by: writtenBy(req),
  viewer: req.viewer,
  site: req.site,
  authorized: req.project(),
  changer: changerOf(req),
  demandsApprovals: demandsApprovals(req.server.services),
})

/**
 * Somebody who asked for it earlier, with the rights that they have now.
 * @param asked `ability` is what they must be allowed to do there, by default to read merge requests.
 * @returns undefined for somebody who is blocked or may not do that any more
 */
export async function mergerLater(
  job: Pick<JobContext, 'db' | 'repositories' | 'currentPlan'>,
  asked: {
    readonly userId: number
    readonly projectId: number
    readonly site: string
    readonly ability?: 'commit_code'
  },
): Promise<Merger | undefined> {
  const { db } = job
  const viewer = await viewerOf(job.repositories, asked.userId, null)
  const found = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', asked.userId)
    .executeTakeFirst()
  if (viewer === undefined || found === undefined) return undefined
  const authorized = await authorizedIn(db, viewer, asked.projectId, asked.ability)
  if (authorized === undefined) return undefined
  return {
    author: found,
    by: { author: found, ip: null },
    viewer,
    site: asked.site,
    authorized,
    changer: { accessContext: authorized.accessContext, userId: found.id },
    demandsApprovals: demandsApprovals(job),
  }
}

/** The project as somebody may use it; undefined when they may not do that, by default read its merge requests. */
export async function authorizedIn(
  db: Db | Tx['db'],
  viewer: Viewer,
  projectId: number,
  ability: 'read_merge_request' | 'commit_code' = 'read_merge_request',
): Promise<AuthorizedProject | undefined> {
  try {
    return await authorizeProject(db, viewer, String(projectId), ability)
  } catch (error) {
    if (error instanceof NotFound || error instanceof NotAllowed) return undefined
    throw error
  }
}

/** Whether somebody may merge into a branch: where it is protected, those whom its protection lets merge or push. */
export async function mayMergeInto(
  db: Parameters<typeof protectionsOf>[0],
  { authorized, changer, viewer: { today } }: Pick<Merger, 'authorized' | 'changer' | 'viewer'>,
  branch: string,
): Promise<boolean> {
  const { container, can } = authorized
  if (!can('push_code')) return false
  const query = { projectId: container.id, kind: 'branch', userId: changer.userId, today } as const
  const found = protecting(await protectionsOf(db, query), branch)
  return found.length === 0 || found.some((one) => maySend(one, true, changer))
}
