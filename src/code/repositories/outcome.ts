import { forbidden, type Refusal, unavailable } from '#platform/refusals.ts'
import type { ChangeRefusal, ReferenceChange } from './rules.ts'

/** What became of one change. */
export interface ChangeOutcome extends ReferenceChange {
  /** Why it did not happen; undefined when it did. */
  readonly refused: ChangeRefusal | undefined
}

/**
 * Whether a change happened.
 * @param onRefused the refusal where a rule stops it; by default 403 with its sentence
 * @returns false when somebody else was faster, so that it may be worth another try
 * @throws 503 while the repository is read-only, and `onRefused`
 */
export function hasHappened(
  outcome: Pick<ChangeOutcome, 'refused'> | undefined,
  onRefused: (because: string) => Refusal = forbidden,
): boolean {
  const { code, text } = outcome?.refused ?? {}
  if (code === undefined || text === undefined) return true
  if (code === 'conflict' || code === 'overtaken') return false
  throw code === 'read-only' ? unavailable(text, 60) : onRefused(text)
}
