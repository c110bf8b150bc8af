import type { FastifyRequest } from 'fastify'
import { verifyPassword } from '#platform/access/passwords.ts'
import { unauthorized } from '#platform/refusals.ts'
import { commitsOf, comparedIn } from '../diffs/changes.ts'
import type { MergeRequestRow } from '../queries.ts'
import type { Approver } from './approve.ts'
import { type ApprovalSettings, approvalSettingsOf, lenient } from './settings.ts'
import { demandsApprovals } from './tier.ts'

/** The newest commits whose authors are asked for. */
const MOST_COMMITS = 1_000

/** The caller as somebody who may want to approve. It may ask git, so no transaction is open. */
export async function approverOf(req: FastifyRequest, row: MergeRequestRow): Promise<Approver> {
  const settings = await settingsFor(req, row.project_id)
  const committers = settings.merge_requests_disable_committers_approval ? await committersOf(req, row) : []
  return { id: req.user().id, isDeveloper: req.project().can('admin_merge_request'), settings, committers }
}

/** The settings that count with the present plan. */
const settingsFor = async (req: FastifyRequest, projectId: number): Promise<ApprovalSettings> =>
  demandsApprovals(req.server.services) ? approvalSettingsOf(req.server.db, projectId) : lenient

async function committersOf(req: FastifyRequest, row: MergeRequestRow): Promise<string[]> {
  const { rows } = await commitsOf(await comparedIn(req), row, { skip: 0, limit: MOST_COMMITS })
  return [...new Set(rows.map(({ committer }) => committer.email.toLowerCase()))]
}

/** Keeps somebody who took over a session from guessing the password. */
const GUESSES = { points: 10, seconds: 600 }

/**
 * Checks the password, where the project demands it.
 * @throws 401 for a wrong one, 429 after too many attempts
 */
export async function assertPassword(
  req: FastifyRequest,
  { id, settings }: Approver,
  password: string | undefined,
): Promise<void> {
  if (!settings.require_reauthentication_to_approve) return
  const { db, services } = req.server
  await services.limits.take('passwords for approvals', id, GUESSES)
  const row = await db.selectFrom('users').select('password_digest').where('id', '=', id).executeTakeFirst()
  if (!(await verifyPassword(row?.password_digest ?? null, password ?? ''))) throw unauthorized()
}
