import type { Visibility } from '#platform/db/schema.ts'
import { fitsBelow } from '#identity/namespaces/tree.ts'
import type { VisibilityRules } from '#identity/namespaces/visibility.ts'

const FROM_OPEN_TO_CLOSED = ['public', 'internal', 'private'] as const satisfies Visibility[]

/**
 * The visibility of a project when the request names none: the instance's default, or the nearest that is allowed
 * there.
 */
export function standardVisibility(
  standard: Visibility,
  within: Visibility,
  { admin, restricted }: VisibilityRules,
): Visibility {
  const allowed = FROM_OPEN_TO_CLOSED.filter(
    (one) => fitsBelow(one, standard) && fitsBelow(one, within) && (admin || !restricted.includes(one)),
  )
  return allowed[0] ?? 'private'
}
