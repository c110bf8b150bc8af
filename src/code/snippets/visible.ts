import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { hasLevel, openVisibilities, visibleTo } from '#platform/access/visible.ts'

type Bool = RawBuilder<boolean>

/** Aliases under which a query has `snippets`, and the `namespaces` and `projects` of each. */
interface Aliases {
  readonly snippet: string
  readonly node: string
  readonly project: string
}

export const usual: Aliases = { snippet: 's', node: 'n', project: 'p' }

/** Whether a snippet is open to the viewer without a role: by its visibility, and to its author. */
export function openTo(viewer: SqlViewer, { snippet }: Pick<Aliases, 'snippet'> = usual): Bool {
  const open = sql<boolean>`${sql.ref(`${snippet}.visibility`)} in ${openVisibilities(viewer)}`
  if (viewer.id === null) return open
  return sql<boolean>`(${open} or ${sql.ref(`${snippet}.author_id`)} = ${viewer.id})`
}

/** The one predicate for snippets of persons. */
export function personalVisibleTo(viewer: SqlViewer, aliases: Aliases = usual): Bool {
  const present = sql<boolean>`(${sql.ref(`${aliases.snippet}.project_id`)} is null and ${sql.ref(`${aliases.node}.deleted_at`)} is null)`
  return viewer.admin ? present : sql<boolean>`(${present} and ${openTo(viewer, aliases)})`
}

/** The one predicate for snippets of any project: both the project and the snippet must let the viewer in. */
export function projectVisibleTo(viewer: SqlViewer, aliases: Aliases = usual): Bool {
  const { snippet, node, project } = aliases
  const member = viewer.admin ? sql<boolean>`true` : hasLevel(node, viewer, levels.guest)
  return sql<boolean>`(${sql.ref(`${snippet}.project_id`)} is not null and ${visibleTo(node, viewer)}
    and ${projectFeatureOpenAt('snippets', `${project}.settings`, node, viewer)}
    and (${openTo(viewer, aliases)} or ${member}))`
}

/** The same for a snippet of either kind. */
export const snippetVisibleTo = (viewer: SqlViewer, aliases: Aliases = usual): Bool =>
  sql<boolean>`(${personalVisibleTo(viewer, aliases)} or ${projectVisibleTo(viewer, aliases)})`
