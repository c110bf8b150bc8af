import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'

/** Aliases under which a query has the `namespaces` and `projects` of alerts. */
interface Aliases {
  readonly node: string
  readonly project: string
}

/** Whether the alerts of a project are there for a viewer; as the ability `read_alert`. */
export function alertsVisibleTo(
  viewer: SqlViewer,
  { node, project }: Aliases = { node: 'n', project: 'p' },
): RawBuilder<boolean> {
  const member = viewer.admin ? sql<boolean>`true` : hasLevel(node, viewer, levels.developer)
  return sql<boolean>`(${visibleTo(node, viewer)} and ${member}
    and ${projectFeatureOpenAt('monitor', `${project}.settings`, node, viewer)})`
}
