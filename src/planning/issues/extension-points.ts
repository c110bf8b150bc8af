import type { RawBuilder } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** A column of queries of issues (`i`): how many merge requests that the viewer may see close the issue. */
export type ClosingCount = (viewer: Viewer) => RawBuilder<number>

export const closingCounts = new ExtensionPoint<ClosingCount>('the list of what closes issues')
