import { invalid } from '#platform/http/errors.ts'

/** Labels of an issue, and people assigned to it: lists show them all with each issue. */
const MAX = 100

/**
 * Checks how many an issue would have.
 * @param added those that it does not have yet.
 * @throws 400 when it would have too many; what an issue has already stays.
 */
export function assertFew(attribute: 'labels' | 'assignees', added: readonly number[], before: number): void {
  if (added.length > 0 && before + added.length > MAX) {
    throw invalid({ [attribute]: [`are too many (maximum is ${MAX})`] })
  }
}
