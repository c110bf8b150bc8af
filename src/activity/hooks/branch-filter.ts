import { RE2JS } from 're2js'
import { matches } from '#code/protected-references/match.ts'
import { unprocessable } from '#platform/http/errors.ts'
import type { HookRow } from './entity.ts'

type Filter = Pick<HookRow, 'branch_filter_strategy' | 'push_events_branch_filter'>

/** @throws 422 for what is no regular expression */
export function checkBranchFilter({ branch_filter_strategy, push_events_branch_filter }: Filter): void {
  if (branch_filter_strategy !== 'regex' || push_events_branch_filter === null) return
  try {
    RE2JS.compile(push_events_branch_filter)
  } catch {
    throw unprocessable('Invalid branch filter given')
  }
}

/** Whether a hook wants pushes to a branch. RE2 takes time that grows with the name alone. */
export function wantsBranch(
  { branch_filter_strategy, push_events_branch_filter }: Filter,
  branch: string,
): boolean {
  if (branch_filter_strategy === 'all_branches') return true
  if (push_events_branch_filter === null || push_events_branch_filter === '') return true
  if (branch_filter_strategy === 'wildcard') return matches(push_events_branch_filter, branch)
  return RE2JS.compile(push_events_branch_filter).matcher(branch).find()
}
