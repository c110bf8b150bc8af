import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { visibleTo } from '#platform/access/visible.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'

/** Aliases under which a query has the `namespaces` and `projects` of merge requests. */
interface Aliases {
  readonly node: string
  readonly project: string
}

/** The one predicate for merge requests of any project, in rows and in totals: `read_merge_request` in SQL. */
export function mergeRequestVisibleTo(
  viewer: SqlViewer,
  { node, project }: Aliases = { node: 'n', project: 'p' },
): RawBuilder<boolean> {
  const settings = `${project}.settings`
  return sql<boolean>`(${visibleTo(node, viewer)} and ${projectFeatureOpenAt('merge_requests', settings, node, viewer)}
    and ${codeReadableAt(settings, node, viewer)})`
}
