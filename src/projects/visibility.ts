import type { Viewer } from '#access/viewer.ts'
import type { Visibility } from '#db/schema.ts'
import { invalid } from '#http/errors.ts'
import { fitsBelow } from '#namespaces/tree.ts'
import type { Settings } from '#settings/definitions.ts'

type Policy = Pick<Settings, 'default_project_visibility' | 'restricted_visibility_levels'>

const FROM_OPEN_TO_CLOSED = ['public', 'internal', 'private'] as const satisfies Visibility[]

/** @throws 400 for a visibility that only administrators may give, or that the namespace does not allow. */
export function demandVisibility(
  visibility: Visibility,
  { policy, viewer, within }: { policy: Policy; viewer: Viewer; within: Visibility },
): void {
  if (!viewer.admin && policy.restricted_visibility_levels.includes(visibility)) {
    throw invalid({ visibility_level: [`${visibility} has been restricted by your administrator`] })
  }
  if (!fitsBelow(visibility, within)) {
    throw invalid({ visibility_level: [`${visibility} is not allowed in a ${within} group`] })
  }
}

/** The visibility of a project that asks for none: the instance's default, or the next that is allowed. */
export function standardVisibility(policy: Policy, viewer: Viewer, within: Visibility): Visibility {
  const open = policy.default_project_visibility
  const allowed = FROM_OPEN_TO_CLOSED.filter(
    (one) =>
      fitsBelow(one, open) &&
      fitsBelow(one, within) &&
      (viewer.admin || !policy.restricted_visibility_levels.includes(one)),
  )
  return allowed[0] ?? 'private'
}
