import { matches } from '#code/protected-references/match.ts'
import { ClientPattern, PatternRefused } from '#platform/client-pattern.ts'
import { unprocessable } from '#platform/refusals.ts'
import type { HookRow } from './entity.ts'

type Filter = Pick<HookRow, 'branch_filter_strategy' | 'push_events_branch_filter'>

/** @throws 422 for what is no regular expression, or too large a one */
export function checkBranchFilter({ branch_filter_strategy, push_events_branch_filter }: Filter): void {
  if (branch_filter_strategy !== 'regex' || push_events_branch_filter === null) return
  if (patternOf(push_events_branch_filter) === undefined) throw unprocessable('Invalid branch filter given')
}

/** Whether a hook wants pushes to a branch. A filter that is refused today, and was stored before, wants none. */
export function wantsBranch(
  { branch_filter_strategy, push_events_branch_filter }: Filter,
  branch: string,
): boolean {
  if (branch_filter_strategy === 'all_branches') return true
  if (push_events_branch_filter === null || push_events_branch_filter === '') return true
  if (branch_filter_strategy === 'wildcard') return matches(push_events_branch_filter, branch)
  return patternOf(push_events_branch_filter)?.finds(branch) ?? false
}

function patternOf(expression: string): ClientPattern | undefined {
  try {
    return new ClientPattern(expression)
  } catch (error) {
    if (error instanceof PatternRefused) return undefined
    throw error
  }
}
