import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Reference } from './kinds.ts'

/** A project or group that the reader may see, by its path. */
export interface ReferenceContext extends TreePosition {
  readonly full_path: string
  /** Null for groups. */
  readonly project_id: number | null
  /** Whether its labels and milestones are open to the reader. */
  readonly planning_open: boolean
}

/** What a kind's resolver works with. */
export interface Context {
  readonly db: Db | Tx['db']
  readonly reader: Viewer
  /** The project or group that contains the text. */
  readonly here: TreePosition
  /** By path in lower case. */
  readonly seen: ReadonlyMap<string, ReferenceContext>
}

/** A noteable, and the project, group or user that it belongs to. */
export interface NoteableInContainer {
  readonly id: number
  readonly namespace_id: number
}

/** Finds the noteables of a kind that references lead to and that the reader may see, in one statement. */
export type NoteableResolver = (
  context: Context,
  references: readonly Reference[],
) => Promise<readonly { readonly reference: Reference; readonly noteable: NoteableInContainer }[]>
