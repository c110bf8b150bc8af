import type { Static } from 'typebox'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import type { Rights } from '../frame/rights.ts'

type MergeRequest = Static<typeof MergeRequestSingle>

/** Whether the visitor may change a merge request: theirs, one that is assigned to them, or any. */
export function mayChange(
  rights: Rights,
  { author, assignees }: MergeRequest,
  me: number | undefined,
): boolean {
  const isOwn = author.id === me || assignees.some(({ id }) => id === me)
  return rights.may('admin_merge_request') || (isOwn && rights.may('edit_merge_request'))
}

/** Whether the visitor may push to the source branch. Of a fork, the page knows only whose it is and whether others may; the API knows all. */
export function mayApply(rights: Rights, request: MergeRequest, me: number | undefined): boolean {
  const { source_project_id, project_id, author, allow_collaboration } = request
  if (source_project_id === project_id) return rights.may('commit_code')
  return me !== undefined && (author.id === me || (allow_collaboration && rights.may('commit_code')))
}

/** What the visitor may say of a merge request. */
export const talkRights = (rights: Rights, { author }: MergeRequest, me: number | undefined) => ({
  me,
  mayWrite: rights.may('create_merge_request_note'),
  mayChangeAll: rights.may('admin_note'),
  mayWriteInternal: rights.may('read_internal_note'),
  mayResolve: rights.may('admin_merge_request') || author.id === me,
})
