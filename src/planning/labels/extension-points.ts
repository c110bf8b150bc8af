import type { RawBuilder } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** How many open merge requests with a label (`l`) the viewer may see. */
export interface LabelCount {
  inProject(viewer: Viewer, authorized: AuthorizedProject): RawBuilder<number>
  inGroup(viewer: Viewer, authorized: AuthorizedGroup): RawBuilder<number>
}

export const labelCounts = new ExtensionPoint<LabelCount>('the list of counts of labels')
