import { isGranted, protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Invalid, invalid } from '#platform/refusals.ts'

/** What somebody may run for a branch or tag. */
export interface RightsToRun {
  readonly isProtected: boolean
  /** On protected ones it takes the right to push or to merge. */
  readonly mayRun: boolean
}

export async function rightsToRun(
  db: Db,
  { authorized, viewer }: { readonly authorized: AuthorizedProject; readonly viewer: Viewer },
  name: string,
  isTag: boolean,
): Promise<RightsToRun> {
  const query = {
    projectId: authorized.container.id,
    kind: isTag ? 'tag' : 'branch',
    userId: viewer.id,
    today: viewer.today,
  } as const
  const protections = protecting(await protectionsOf(db, query), name)
  const changer = { accessContext: authorized.accessContext, userId: viewer.id }
  const granted = protections.some(
    (one) =>
      isGranted(one, 'push', changer) ||
      isGranted(one, 'merge', changer) ||
      isGranted(one, 'create', changer),
  )
  return { isProtected: protections.length > 0, mayRun: protections.length === 0 || granted }
}

/** The refusal of a pipeline for a protected branch or tag. */
export const mayNotRunOn = (name: string): Invalid =>
  invalid({
    base: [
      `You do not have sufficient permission to run a pipeline on '${name}'. Please select a different branch or contact your administrator for assistance.`,
    ],
  })
