import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { refuseLater } from '#platform/http/later.ts'
import { takeFromMinute } from '#platform/http/limits.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { lockMentioned, recordMentions } from '#planning/noteables/record-mentions.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { assignIssue } from '#planning/epics/assign-issue.ts'
import { findAskedEpic } from '#planning/epics/find-asked.ts'
import { checkForSpam, isChecked } from '#planning/spam/check-for-spam.ts'
import type { Content } from '#planning/spam/content.ts'
import { createIssue } from './create-issue.ts'
import { deleteIssue } from './delete-issue.ts'
import { IssueSingle } from './entity.ts'
import { mentioningIssue } from './facts-about.ts'
import { ByIssue } from './by-issue.ts'
import { IssueChanges, later, NewIssue } from './parameters.ts'
import { assertMayChange, permittedAtAll, permittedAtOpening } from './policy.ts'
import { audienceOf, presentSingleIssue } from './present.ts'
import { findIssue, lockIssue, type SingleIssueRow } from './queries.ts'
import { issueQuickActions } from './quick-actions.ts'
import { resolveChanges } from './resolve-changes.ts'
import { updateIssue } from './update-issue.ts'

/** Routes for single issues of a project; list-routes.ts has the lists. */
export const issueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues/:issue_iid',
    {
      config: reads(project('read_issue'), { anonymous: true }),
      schema: { summary: 'Get an issue', params: ByIssue, response: { 200: IssueSingle } },
    },
    async (req) =>
      presentSingleIssue(
        await findIssue(db, req.viewer, req.project(), req.params.issue_iid),
        audienceOf(req),
      ),
  )

  app.post(
    '/projects/:id/issues',
    {
      config: writes(project('create_issue')),
      schema: {
        summary: 'Open an issue',
        description:
          'Only members of the project can set labels, assignees, milestone, due date, weight and lock; from ' +
          'others, the server ignores them. The server also ignores assignees who cannot read the project, ' +
          'milestones of other projects, and unknown labels if the caller may not create labels.',
        params: ById,
        body: NewIssue,
        refuses: [409, 422],
        checkedForSpam: true,
        response: { 201: IssueSingle },
      },
    },
    async (req) => {
      const issue = await open(req, req.body)
      return presentSingleIssue(issue, audienceOf(req))
    },
  )

  app.put(
    '/projects/:id/issues/:issue_iid',
    {
      config: writes(project('edit_issue')),
      schema: {
        summary: 'Change an issue',
        description:
          'The author and the assignees may change the title and description, close and reopen. Everything else ' +
          'needs the role Planner; from others, the server ignores it. The server also ignores assignees who ' +
          'cannot read the project, and milestones of other projects.',
        params: ByIssue,
        body: IssueChanges,
        refuses: [412, 422],
        checkedForSpam: true,
        response: { 200: IssueSingle },
      },
    },
    async (req) => presentSingleIssue(await change(req, req.params.issue_iid, req.body), audienceOf(req)),
  )

  app.delete(
    '/projects/:id/issues/:issue_iid',
    {
      config: writes(project('delete_issue')),
      schema: { summary: 'Delete an issue', params: ByIssue, refuses: [412], response: { 204: NoContent } },
    },
    async (req) => {
      await req.write(async (tx) => {
        const issue = await lockIssue(tx, req.viewer, req.project(), req.params.issue_iid, 'deletion')
        assertUnmodified(req, issue.updated_at)
        await deleteIssue(tx, issue)
      })
    },
  )
}

async function open(req: FastifyRequest, given: Static<typeof NewIssue>): Promise<SingleIssueRow> {
  const authorized = req.project()
  const { created_at, iid: wanted, ...asked } = refuseLater(given, later)
  const entitled = authorized.can('set_created_at')
  const submitted = new SubmittedDescription(asked.description, issueQuickActions)
  await takeFromMinute(req, 'issues_create_limit')
  await checkForSpam(req, contentOf(given.title, asked.description))
  return req.write(async (tx) => {
    await submitted.lockNamed(tx, req)
    const { epic_id, epic_iid, ...permitted } = submitted.textIn(permittedAtOpening(authorized, asked))
    const { state_event: _, title = given.title, ...rest } = await resolveChanges(tx, authorized, permitted)
    const epic = await findAskedEpic(tx, req, { epic_id, epic_iid })
    const text = `${title}\n\n${rest.description ?? ''}`
    await lockMentioned(tx, req, authorized.container, text)
    const made = await createIssue(tx, authorized.container, {
      ...rest,
      title,
      iid: entitled ? wanted : null,
      created_at: entitled ? created_at : undefined,
      user_agent: req.headers['user-agent'] ?? null,
    })
    const source = { noteable: mentioningIssue(made), namespace: authorized.container, noteId: null }
    await recordMentions(tx, req, source, text)
    const issue = await findIssue(tx.db, req.viewer, authorized, made.iid)
    if (epic) await assignIssue(tx, issue, epic)
    if (!(await submitted.obey(tx, req, made.iid)) && !epic) return issue
    return findIssue(tx.db, req.viewer, authorized, made.iid)
  })
}

const contentOf = (title: string, description: string | null | undefined): Content => ({
  noun: 'issue',
  type: 'Issue',
  title,
  text: description ?? '',
})

/** Nobody waits for another server in a transaction, so the rights are looked at before, too. */
async function checkChange(
  req: FastifyRequest,
  iid: number,
  { title, description }: { readonly title?: string; readonly description?: string | null },
): Promise<void> {
  if (!isChecked(req) || (title === undefined && description === undefined)) return
  const found = await findIssue(req.server.db, req.viewer, req.project(), iid)
  assertMayChange(req.project(), found, req.user())
  await checkForSpam(
    req,
    contentOf(title ?? found.title, description === undefined ? found.description : description),
  )
}

async function change(
  req: FastifyRequest,
  iid: number,
  given: Static<typeof IssueChanges>,
): Promise<SingleIssueRow> {
  const authorized = req.project()
  const { updated_at, ...asked } = refuseLater(given, later)
  await checkChange(req, iid, asked)
  const submitted = new SubmittedDescription(asked.description, issueQuickActions)
  return req.write(async (tx) => {
    await submitted.lockNamed(tx, req, iid)
    const { epic_id, epic_iid, ...permitted } = permittedAtAll(authorized, asked)
    const resolved = await resolveChanges(tx, authorized, permitted)
    const epic = await findAskedEpic(tx, req, { epic_id, epic_iid })
    await lockMentioned(tx, req, authorized.container, `${asked.title ?? ''}\n\n${asked.description ?? ''}`)
    const locked = await lockIssue(tx, req.viewer, authorized, iid)
    assertMayChange(authorized, locked, req.user())
    assertUnmodified(req, locked.updated_at)
    const asBefore = submitted.isThatOf(locked)
    const changes = asBefore ? resolved : submitted.textIn(resolved)
    const changed = await updateIssue(
      tx,
      locked,
      changes,
      authorized.can('set_created_at') ? updated_at : undefined,
    )
    const {
      title = locked.title,
      description = locked.description,
      confidential = locked.confidential,
    } = changes
    const moved = epic !== undefined && (await assignIssue(tx, { ...locked, confidential }, epic))
    const source = {
      noteable: mentioningIssue(locked),
      namespace: authorized.container,
      noteId: null,
      changed: true,
    }
    if (changes.title !== undefined || changes.description !== undefined)
      await recordMentions(tx, req, source, `${title}\n\n${description ?? ''}`)
    const obeyed = !asBefore && (await submitted.obey(tx, req, iid))
    return changed || moved || obeyed ? findIssue(tx.db, req.viewer, authorized, iid) : locked
  })
}
