import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { refuseLater } from '#platform/http/later.ts'
import { assignIssue } from '#planning/epics/assign-issue.ts'
import { findEpicOfRequest } from '#planning/epics/find-asked.ts'
import type { EpicRow } from '#planning/epics/queries.ts'
import { changeItem, type ItemChanging } from '#planning/noteables/items/change-item.ts'
import type { IssueChangeRequest, IssueChanges } from './changes.ts'
import { issueNoteable } from './noteable.ts'
import { type IssuePlace, issuePlaceOf } from './open-issue.ts'
import { type IssueChanges as IssueChangesBody, unsupportedParameters } from './parameters.ts'
import { assertMayChangeIssue, permittedAtAll } from './policy.ts'
import { type LockedIssue, lockIssueForChange } from './lock-issue.ts'
import { findIssue, type SingleIssueRow } from './queries.ts'
import { resolveChanges } from './resolve-changes.ts'
import { updateIssue } from './update-issue.ts'

/** When the issue changed, from those who may set that. */
interface Moment {
  readonly updated_at?: string | undefined
}

const changingIssues: ItemChanging<
  IssuePlace,
  IssueChangeRequest & Moment,
  IssueChanges & Moment & { readonly epic?: EpicRow | null | undefined },
  SingleIssueRow,
  LockedIssue
> = {
  kind: issueNoteable,
  spam: true,
  async resolve(tx, { caller, authorized }, { updated_at, ...asked }) {
    const { epic_id, epic_iid, ...permitted } = permittedAtAll(authorized, asked)
    const changes = await resolveChanges(tx, authorized, permitted)
    const epic = await findEpicOfRequest(tx, caller, { epic_id, epic_iid })
    return { ...changes, updated_at, epic }
  },
  find: (on, { caller, authorized }, key) => findIssue(on, caller.viewer, authorized, Number(key)),
  lock: (tx, { caller, authorized }, key) => lockIssueForChange(tx, caller.viewer, authorized, Number(key)),
  assertMayChange: ({ caller, authorized }, issue) => assertMayChangeIssue(authorized, issue, caller.user()),
  async update(tx, _place, issue, { epic, updated_at, ...changes }) {
    await updateIssue(tx, issue, changes, updated_at)
    const { confidential = issue.confidential } = changes
    if (epic !== undefined) await assignIssue(tx, { ...issue, confidential }, epic)
  },
  keyOf: ({ iid }) => iid,
}

/**
 * Changes an issue as a request asks for.
 * @throws 404, 403 for somebody who may change nothing of it, 400 for spam and for what cannot be stored, 412
 */
export async function changeIssue(
  req: FastifyRequest,
  iid: number,
  given: Static<typeof IssueChangesBody>,
): Promise<SingleIssueRow> {
  const place = issuePlaceOf(req)
  const { updated_at, ...asked } = refuseLater(given, unsupportedParameters)
  const moment = place.authorized.can('set_created_at') ? { updated_at } : {}
  return changeItem(req, changingIssues, place, iid, { ...asked, ...moment })
}
