import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** A column for queries of projects (`p`, with their `namespaces` as `n`): how much in a project the viewer may see. */
export interface ProjectCount {
  readonly field: 'open_issues_count'
  column(viewer: Viewer): RawBuilder<number>
}

export const projectCounts = new ExtensionPoint<ProjectCount>('the list of counts of a project')

/** The column of a count; 0 where no feature counts it. */
export const projectCount = (field: ProjectCount['field'], viewer: Viewer): RawBuilder<number> =>
  projectCounts.entries.find((count) => count.field === field)?.column(viewer) ?? sql<number>`0`
