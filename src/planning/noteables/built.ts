import type { GroupAbility, ProjectAbility } from '#platform/access/abilities.ts'
import type { ProjectDoor, ProjectPlace } from '#platform/access/doors.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import type { NoteableKind, noteables } from './noteables.ts'

type Table = typeof noteables

/**
 * The kinds of noteables that exist so far: those whose abilities do (platform/access/abilities.ts). The compiler then asks for
 * their line in {@link built}, and for their column in `notes`.
 */
export type BuiltKind = { [K in NoteableKind]: IsBuilt<K> extends true ? K : never }[NoteableKind]

type IsBuilt<K extends NoteableKind> = Table[K]['abilities'][keyof Table[K]['abilities']] extends (
  Table[K]['container'] extends 'project' ? ProjectAbility : GroupAbility
)
  ? true
  : false

/** The columns of `notes` that say what a note is on. */
export type NoteableColumn = Table[BuiltKind]['column']

/** The path parameters that name one. */
export type NoteableParam = Table[BuiltKind]['param']

/** Who looks for a noteable, and where. */
export interface Sight {
  readonly viewer: Viewer
  readonly door: ProjectDoor
}

/** What notes need to know of the thing that they are on. */
export interface NoteableRow {
  readonly id: number
  readonly iid: number | null
  /** Whether only members may comment. */
  readonly locked: boolean
  /** Whether notes on it name other issues (that mention it, say), which not everybody may know. */
  readonly namesOthers: boolean
}

/** How many comments came, or with negative numbers went. */
export interface NoteCount {
  readonly open: number
  readonly internal: number
}

/** A text in a note, for those who are named in it. */
export interface Told {
  readonly on: { readonly id: number; readonly iid: number | null }
  readonly place: ProjectPlace
  readonly noteId: number
  readonly internal: boolean
  /** Whether another text stood there before. */
  readonly changed: boolean
}

/** Who writes, and where the web pages live, whose URLs are references too. */
export interface Writer {
  readonly viewer: Viewer
  readonly site: string
}

/** What a kind of noteable does for its notes. */
export interface BuiltNoteable {
  /** The one of that number that the viewer may see. */
  find(db: Db | Tx['db'], sight: Sight, number: number): Promise<NoteableRow | undefined>
  /** Locks what a body refers to, or has its commands refer to; before the noteable itself. */
  lockReferred(tx: Tx, writer: Writer, sight: Sight, body: string): Promise<void>
  /** The same as `find`; others who want to change it wait until this transaction ends. */
  lock(tx: Tx, sight: Sight, number: number): Promise<NoteableRow | undefined>
  /** Keeps the number of comments, and that something was said. */
  countNotes(tx: Tx, id: number, count: NoteCount): Promise<void>
  /** Does what the quick actions in a body ask for; undefined when there are none. */
  act(tx: Tx, sight: Sight, number: number, body: string): Promise<Acted | undefined>
  recordMentions(tx: Tx, writer: Writer, told: Told, text: string): Promise<void>
}

/** What came of the commands in a body. */
export interface Acted {
  /** The body without them. */
  readonly text: string
  readonly changes: CommandsChanges
  /** A sentence for each. */
  readonly summary: readonly string[]
  /** Whether one of them at least could be done. */
  readonly applied: boolean
}

export const built: Readonly<Record<BuiltKind, BuiltNoteable>> = { issue: issueNoteable }

/** The kinds, for loops that declare routes. */
export const builtKinds = Object.keys(built).filter((kind): kind is BuiltKind => Object.hasOwn(built, kind))
