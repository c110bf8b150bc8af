import { type RawBuilder, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, hasLevel } from '#platform/access/visible.ts'

type Bool = RawBuilder<boolean>

/** Aliases under which a query has `epics`, and the `namespaces` of the group of each. */
interface Aliases {
  readonly epic: string
  readonly node: string
}

const usual: Aliases = { epic: 'e', node: 'n' }

/**
 * The one predicate for epics of any group, in rows and in totals: those of groups that the viewer may see; confidential
 * ones from Planner up.
 */
export function epicVisibleTo(viewer: SqlViewer, aliases: Aliases = usual): Bool {
  const { epic, node } = aliases
  const open = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(${isNotConfidential(epic)} or ${hasLevel(node, viewer, levels.planner)})`
  return sql<boolean>`(${groupVisibleTo(node, viewer)} and ${open})`
}

/** The same within one group, when it is known whether the viewer reads confidential epics there. */
export const epicOpenIn = (readsAll: boolean, epic = usual.epic): Bool =>
  readsAll ? sql<boolean>`true` : isNotConfidential(epic)

/** Whether an epic is not confidential. */
export const isNotConfidential = (epic: string): Bool =>
  sql<boolean>`(not ${sql.ref(`${epic}.confidential`)})`
