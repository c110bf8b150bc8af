import type { RawBuilder } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** Merge requests that close an issue, for queries of issues (`i`). */
export interface ClosingCount {
  /** Whether there is any, whoever may see it. */
  readonly some: RawBuilder<boolean>
  /** How many the viewer may see. */
  readonly count: (viewer: SqlViewer) => RawBuilder<number>
}

export const closingCounts = new ExtensionPoint<ClosingCount>('the list of what closes issues')
