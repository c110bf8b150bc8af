import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict, known, notFound, unauthorized } from '#platform/refusals.ts'
import { Message } from '#platform/http/schema.ts'
import { findOne } from '../diffs/routes.ts'
import { ByMergeRequest } from '../parameters.ts'
import { findMergeRequest, lockMergeRequest, type MergeRequestRow } from '../queries.ts'
import { updateMergeRequest } from '../update-merge-request.ts'
import { approve, unapprove } from './approve.ts'
import { approverOf, assertPassword } from './approver.ts'
import { NewApproval, RequiredApprovals } from './parameters.ts'
import { resetApprovals } from './reset.ts'
import { Approvals, ApprovalState, presentApprovals, presentState } from './state.ts'
import { approvalRules as tier } from './tier.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const writing = writes(project('approve_merge_request'))

/** Approving merge requests. */
export const approvalRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    `${path}/approvals`,
    {
      config: reads(project('read_merge_request')),
      schema: {
        summary: 'Get who approved a merge request',
        params: ByMergeRequest,
        response: { 200: Approvals },
      },
    },
    async (req) => presentApprovals(req, await findOne(req, req.params.merge_request_iid)),
  )

  app.post(
    `${path}/approvals`,
    {
      config: writes(project('admin_merge_request'), { tier }),
      schema: {
        summary: 'Change how many approvals a merge request needs',
        // GitLab 16.0.
        deprecated: { since: '2023-05-22', successor: 'approval rules' },
        params: ByMergeRequest,
        body: RequiredApprovals,
        response: { 201: Approvals },
      },
    },
    (req) =>
      change(req, req.params.merge_request_iid, (tx, locked) => updateMergeRequest(tx, locked, req.body)),
  )

  app.post(
    `${path}/approve`,
    {
      config: writing,
      schema: {
        summary: 'Approve a merge request',
        description:
          'For members from Developer on and those whom a rule names. 401 for others, and for a second time. 409 when ' +
          '`sha` is not the tip of the source branch.',
        params: ByMergeRequest,
        body: NewApproval,
        refuses: [409],
        response: { 201: Approvals },
      },
    },
    (req) => approveAs(req, req.params.merge_request_iid, req.body),
  )

  app.post(
    `${path}/unapprove`,
    {
      config: writing,
      schema: {
        summary: 'Take your approval of a merge request back',
        params: ByMergeRequest,
        response: { 201: Approvals },
      },
    },
    (req) =>
      change(req, req.params.merge_request_iid, async (tx, locked) => {
        if (!(await unapprove(tx, locked, req.user().id))) throw notFound()
      }),
  )

  app.put(
    `${path}/reset_approvals`,
    {
      config: writes(project('approve_merge_request'), { tier }),
      schema: {
        summary: 'Take all approvals of a merge request back',
        description: 'Only for the users of project and group access tokens; 401 for others.',
        params: ByMergeRequest,
        response: { 202: Message },
      },
    },
    async (req) => {
      await assertBot(req)
      await req.write(async (tx) => {
        const locked = await lockMergeRequest(tx, req.viewer, req.project(), req.params.merge_request_iid)
        await resetApprovals(tx, [locked.id])
      })
      return { message: '202 Accepted' }
    },
  )

  app.get(
    `${path}/approval_state`,
    {
      config: reads(project('read_merge_request'), { tier }),
      schema: {
        summary: 'Get the approval rules of a merge request and who approved',
        params: ByMergeRequest,
        response: { 200: ApprovalState },
      },
    },
    async (req) => presentState(req, await findOne(req, req.params.merge_request_iid)),
  )
}

async function approveAs(
  req: FastifyRequest,
  iid: number,
  { sha, approval_password }: Static<typeof NewApproval>,
): Promise<Static<typeof Approvals>> {
  const found = await findOne(req, iid)
  const approver = await approverOf(req, found)
  await assertPassword(req, approver, approval_password)
  return change(req, iid, async (tx, locked) => {
    assertSeen(locked, sha)
    await approve(tx, locked, approver)
  })
}

/** Changes a merge request. @returns its approvals afterwards */
async function change(
  req: FastifyRequest,
  iid: number,
  write: (tx: Tx, locked: MergeRequestRow) => Promise<unknown>,
): Promise<Static<typeof Approvals>> {
  const row = await req.write(async (tx) => {
    await write(tx, await lockMergeRequest(tx, req.viewer, req.project(), iid))
    return findMergeRequest(tx.db, req.viewer, req.project(), iid)
  })
  return presentApprovals(req, row)
}

/** @throws 409 when the source branch has moved on since somebody looked */
function assertSeen({ head_sha }: MergeRequestRow, sha: string | undefined): void {
  if (sha === undefined || sha === '' || sha === head_sha) return
  throw conflict(known('other-commit', `: ${head_sha}`))
}

async function assertBot(req: FastifyRequest): Promise<void> {
  const { id } = req.user()
  const row = await req.server.db.selectFrom('users').select('kind').where('id', '=', id).executeTakeFirst()
  if (row?.kind !== 'bot' || !req.project().can('admin_merge_request')) throw unauthorized()
}
