import type { Static } from 'typebox'
import type { Approvals } from '#code/merge-requests/approvals/state.ts'
import type { Conflict } from '#code/merge-requests/merge/conflicts.ts'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Forms } from '../frame/forms.ts'
import { person } from '../frame/people.ts'

type MergeRequest = Static<typeof MergeRequestSingle>

/** What stands in the way of a merge, and what to do about it, by the words of `detailed_merge_status`. */
const obstacles: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  mergeable: ['Ready to be merged', 'Nothing stands in the way.'],
  unchecked: ['Not checked yet', 'The server looks at the commits. Load the page again in a moment.'],
  checking: ['Being checked', 'The server looks at the commits. Load the page again in a moment.'],
  preparing: ['Being prepared', 'The server reads the commits. Load the page again in a moment.'],
  approvals_syncing: ['Approvals are being counted', 'Load the page again in a moment.'],
  not_open: ['Not open', 'Open it again to merge it.'],
  merge_time: ['Too early', 'It may be merged only after the time that was set.'],
  draft_status: ['A draft', 'Mark it as ready when it is.'],
  discussions_not_resolved: ['Threads are open', 'All threads must be resolved first.'],
  ci_still_running: [
    'The pipeline runs',
    'Wait for it, or let it merge by itself as soon as the pipeline has passed.',
  ],
  ci_must_pass: ['The pipeline must pass', 'Look at its failed jobs, and run it again or push a correction.'],
  requested_changes: ['Changes were asked for', 'Whoever asked for them must approve.'],
  not_approved: ['Approvals are missing', 'Ask somebody who may approve.'],
  commits_status: [
    'There is nothing to merge',
    'The source branch is gone, or has no commit that the target branch lacks.',
  ],
  conflict: [
    'There are conflicts',
    'Merge the target branch into the source branch on your machine, settle what differs, and push.',
  ],
  need_rebase: ['A rebase is needed', 'The target branch has commits that the source branch lacks.'],
  jira_association_missing: ['A Jira issue is missing', 'Name one in the title or the description.'],
  locked_paths: ['Files are locked', 'Somebody holds a lock on a file that this changes.'],
  security_policy_violations: ['A security policy is violated', 'Look at what the policy asks for.'],
}

interface Asked {
  readonly request: MergeRequest
  /** Undefined for those who may not see them. */
  readonly approvals: Static<typeof Approvals> | undefined
  /** The files in which it conflicts. */
  readonly conflicts: readonly Static<typeof Conflict>[]
  readonly mayChange: boolean
  /** The address of its page. */
  readonly here: string
  /** The visitor; undefined for strangers. */
  readonly me: number | undefined
}

/** Whether a merge request may be merged, what stands in the way, who approved, and the forms for all that. */
export function mergeBox(
  forms: Forms,
  { request, approvals, conflicts, mayChange, here, me }: Asked,
): Html | undefined {
  if (request.state !== 'opened') return undefined
  const { detailed_merge_status: status } = request
  const [title, advice] = obstacles[status] ?? [status.replaceAll('_', ' '), 'It cannot be merged now.']
  return html`<section class="box" aria-label="Merging">
    <h2>${title}</h2>
    <p>${advice}</p>
    ${
      conflicts.length > 0 &&
      html`<ul>
        ${conflicts.map(({ path }) => html`<li><code>${path}</code></li>`)}
      </ul>`
    }
    ${request.merge_error !== null && html`<p class="problem">${request.merge_error}</p>`}
    ${approvals && approvedBy(forms, approvals, { here, me })}
    ${request.draft && mayChange && forms.write({ does: 'ready', submit: 'Mark as ready' })}
    ${request.user.can_merge ? merging(forms, request) : me !== undefined && notYours(request)}
  </section>`
}

function approvedBy(
  forms: Forms,
  approvals: Static<typeof Approvals>,
  { here, me }: Pick<Asked, 'here' | 'me'>,
): Html {
  const { approved_by, approvals_left: left, user_has_approved, user_can_approve } = approvals
  return html`<div class="approvals">
    <p>
      ${
        approved_by.length === 0
          ? 'Nobody has approved yet.'
          : html`Approved by ${approved_by.map(({ user }) => html`${person(user)} `)}`
      }
      ${left > 0 && html`<strong>${left} more needed.</strong>`}
      ${approvals.merge_request_approvers_available && html`<a href="${here}/approval_rules">Approval rules</a>`}
    </p>
    ${user_can_approve && forms.write({ does: 'approve', submit: 'Approve', looks: 'secondary' })}
    ${user_has_approved && me !== undefined && forms.write({ does: 'unapprove', submit: 'Take my approval back', looks: 'secondary' })}
  </div>`
}

const notYours = ({ target_branch }: MergeRequest): Html =>
  html`<p>You may not merge into <code>${target_branch}</code>. Ask somebody who may.</p>`

/** States in which the merge can wait for what is missing. */
const WAITS: ReadonlySet<string> = new Set([
  'ci_still_running',
  'ci_must_pass',
  'not_approved',
  'requested_changes',
  'discussions_not_resolved',
  'draft_status',
  'merge_time',
])

function merging(forms: Forms, request: MergeRequest): Html | undefined {
  const { detailed_merge_status: status, merge_when_pipeline_succeeds: waits, sha } = request
  if (waits)
    return html`<p>It merges by itself as soon as nothing stands in the way.</p>
      ${forms.write({ does: 'cancel-auto-merge', submit: 'Cancel that', looks: 'secondary' })}`
  const fields = [
    { name: 'sha', label: '', is: 'hidden', value: sha },
    { name: 'squash', label: 'Squash all commits into one', is: 'check', value: request.squash_on_merge },
    {
      name: 'should_remove_source_branch',
      label: 'Delete the source branch',
      is: 'check',
      value: request.force_remove_source_branch === true,
    },
  ] as const
  if (status === 'mergeable') return forms.write({ does: 'merge', submit: 'Merge', fields })
  if (status === 'need_rebase')
    return request.rebase_in_progress === true
      ? html`<p>A rebase is under way. Load the page again in a moment.</p>`
      : forms.write({ does: 'rebase', submit: 'Rebase' })
  if (!WAITS.has(status)) return undefined
  return forms.write({ does: 'auto-merge', submit: 'Merge as soon as possible', looks: 'secondary', fields })
}
