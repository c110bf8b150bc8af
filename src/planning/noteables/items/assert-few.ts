import { invalid } from '#platform/refusals.ts'

/** The most labels and assignees of an issue: lists show them all with each issue. */
const MAX = 100

/**
 * Checks how many labels or assignees an issue would have.
 * @param added those that it does not have yet.
 * @throws 400 when it would have too many; those that an issue has already stay.
 */
export function assertFew(
  attribute: 'labels' | 'assignees' | 'reviewers',
  added: readonly number[],
  before: number,
): void {
  if (added.length > 0 && before + added.length > MAX) {
    throw invalid({ [attribute]: [`are too many (maximum is ${MAX})`] })
  }
}
