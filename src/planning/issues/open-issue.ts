import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { refuseLater } from '#platform/http/later.ts'
import { takeFromMinute } from '#platform/http/limits.ts'
import { assignIssue } from '#planning/epics/assign-issue.ts'
import { findEpicOfRequest } from '#planning/epics/find-asked.ts'
import type { EpicRow } from '#planning/epics/queries.ts'
import type { ItemPlace } from '#planning/noteables/items/item-text.ts'
import {
  type ItemInsertion,
  type ItemOpening,
  openRequestedItem,
} from '#planning/noteables/items/open-item.ts'
import type { NoteableText } from '#planning/noteables/record-mentions.ts'
import type { IssueChangeRequest } from './changes.ts'
import { createIssue, type NewIssue } from './create-issue.ts'
import { issueNoteable } from './noteable.ts'
import { unsupportedParameters, type NewIssue as NewIssueBody } from './parameters.ts'
import { permittedAtOpening } from './policy.ts'
import { findIssue, type SingleIssueRow } from './queries.ts'
import { resolveChanges } from './resolve-changes.ts'

/** The project of a new issue, and who opens it. */
interface IssueHome extends ItemPlace {
  readonly container: NoteableText['namespace'] & { readonly id: number }
}

/** How new issues are written, whoever opens them: `openItem` of planning/noteables/items. */
export const issueInsertion: ItemInsertion<
  IssueHome,
  NewIssue & { readonly epic?: EpicRow | null | undefined },
  { readonly id: number; readonly iid: number }
> = {
  kind: issueNoteable,
  insert: (tx, { container }, issue) => createIssue(tx, container, issue),
  async follow(tx, { container }, { id, iid }, { epic, confidential = false }) {
    const { namespace_id, full_path } = container
    if (epic) await assignIssue(tx, { id, iid, namespace_id, full_path, confidential }, epic)
  },
}

/** Where a request writes issues. */
export interface IssuePlace extends IssueHome {
  readonly caller: FastifyRequest
  readonly authorized: AuthorizedProject
}

export const issuePlaceOf = (req: FastifyRequest): IssuePlace => {
  const authorized = req.project()
  return { caller: req, container: authorized.container, authorized }
}

type AskedIssue = IssueChangeRequest & Pick<NewIssue, 'title' | 'iid' | 'created_at' | 'user_agent'>

const openingIssues: ItemOpening<
  IssuePlace,
  AskedIssue,
  Parameters<typeof issueInsertion.insert>[2],
  { readonly id: number; readonly iid: number },
  SingleIssueRow
> = {
  ...issueInsertion,
  spam: true,
  async resolve(tx, { caller, authorized }, { iid, created_at, user_agent, ...asked }) {
    const { epic_id, epic_iid, ...named } = asked
    const changes = await resolveChanges(tx, authorized, named)
    const epic = await findEpicOfRequest(tx, caller, { epic_id, epic_iid })
    return { ...changes, title: asked.title, iid, created_at, user_agent, epic }
  },
  keyOf: ({ iid }) => iid,
  find: (on, { caller, authorized }, key) => findIssue(on, caller.viewer, authorized, Number(key)),
}

/**
 * Opens the issue that a request asks for.
 * @throws 400 for spam, an unacceptable title and too many labels or assignees, 409 for a number that is taken
 */
export async function openIssue(
  req: FastifyRequest,
  given: Static<typeof NewIssueBody>,
): Promise<SingleIssueRow> {
  const place = issuePlaceOf(req)
  const { title, iid, created_at, ...asked } = refuseLater(given, unsupportedParameters)
  const entitled = place.authorized.can('set_created_at')
  await takeFromMinute(req, 'issues_create_limit')
  return openRequestedItem(req, openingIssues, place, {
    ...permittedAtOpening(place.authorized, asked),
    title,
    user_agent: req.headers['user-agent'] ?? null,
    ...(entitled && { iid, created_at }),
  })
}
