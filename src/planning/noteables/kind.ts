import type { RawBuilder } from 'kysely'
import type { TInteger, TString } from 'typebox'
import type { Tier } from '#platform/access/route-access.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import type { ActionTable } from '#planning/quick-actions/quick-action.ts'
import type { Reference } from '#planning/references/kinds.ts'
import type { NoteableResolver } from '#planning/references/context.ts'
import type { Caller, NoteableContainer } from './containers.ts'
import type { FactReader } from './fact-reader.ts'

/** What names a noteable in a path, within its container: its iid, its id, or a text. */
export type NoteableKey = number | string

/**
 * A kind of noteable: something that has notes, discussions, awards, mentions and resource events. A feature that adds one
 * writes this object in its own folder and registers it (kinds.ts); the rest knows kinds only by it.
 *
 * Its table has rows whose `id` is that of their row in `noteables` (insert-noteables.ts), and the columns that
 * {@link NoteableKind.counters} names.
 */
export interface NoteableKind {
  /** What `noteables.kind` calls it; stays for ever. */
  readonly name: string
  /** `noteable_type` on the wire, the type of the targets of facts, and the name in `404 <type> Not Found`. */
  readonly type: string
  /** In sentences: `mentioned in issue #12`. */
  readonly noun: string
  /** In the API's description: `List the notes on an issue`. */
  readonly title: string
  /** Where these are, and who may do what there. */
  readonly container: NoteableContainer
  /** The collection in paths: `/projects/:id/issues`. */
  readonly segment: string
  /** The path parameter that names one. */
  readonly key: { readonly param: string; readonly schema: TInteger | TString }
  /** The plan that the notes of these take. */
  readonly tier?: Tier
  /** What notes on these look like. */
  readonly notes: NoteOptions
  /** What its table counts. */
  readonly counters: Counters
  /** How one is found by its key, as far as a caller may see it. */
  readonly rows: Rows
  /** Whether a viewer may see the one with this id, wherever it is. */
  visibleTo(viewer: Viewer, id: RawBuilder<number>): RawBuilder<boolean>
  /** A query for the text of the one with this id, as `text`: title and description, say. */
  readonly text: (id: RawBuilder<number>) => RawBuilder<unknown>
  /** How others refer to one within its container: `#12`. */
  readonly reference: (noteable: { readonly iid: number | null; readonly key: NoteableKey }) => string
  /** How references in texts lead to these; absent where nothing in a text can name one. */
  readonly referred?: Referred
  /** What commands in the body of a note do; absent where they stay text. */
  readonly quickActions?: QuickActions
  /** The facts that leave a system note. */
  readonly systemNotes: FactReader<SystemNote>
  /** The lists of resource events that these have, and the facts that leave one. */
  readonly resourceEvents: {
    readonly lists: readonly ResourceEvent['kind'][]
    readonly of: FactReader<readonly ResourceEvent[]>
  }
}

/** In what notes, and the parameters for them, differ from kind to kind. */
export interface NoteOptions {
  /** Fields that notes have on some noteables only; without `iid` their `noteable_iid` is null. */
  readonly fields: { readonly iid: boolean; readonly imported: boolean; readonly commands: boolean }
  /** Parameters of lists, besides `sort`, `order_by` and pages. */
  readonly list: readonly 'activity_filter'[]
  /** Parameters of a new note, besides `body`, which is always needed. */
  readonly create: readonly ('internal' | 'confidential' | 'created_at' | 'merge_request_diff_head_sha')[]
  readonly update: { readonly bodyRequired: boolean; readonly confidential: boolean }
}

/** Where a kind keeps what lists would have to count. */
export interface Counters {
  /** Has `updated_at`, and counts comments in `notes_count` and `internal_notes_count`. */
  readonly table: string
  /** Whether it has `upvotes` and `downvotes`, for awards. */
  readonly votes: boolean
}

/** A query for the row of one, whose text depends on `shape` alone: it is prepared. */
export interface Rows {
  /** A word for what a caller sees there. */
  shape(caller: Caller): string
  /**
   * `id`, `iid` (null where there is none) and `locked`, whether only members may comment. A lock may be put behind it, so
   * it reads no other table but in conditions.
   */
  select(shape: string, values: RowValues): RawBuilder<unknown>
}

export interface RowValues {
  /** The id of the project or group. */
  readonly container: number
  readonly key: NoteableKey
  /** The id of the user; 0 for nobody. */
  readonly viewer: number
}

/** How texts refer to noteables of a kind. */
export interface Referred {
  /** What `references/kinds.ts` calls it. */
  readonly as: Reference['kind']
  readonly resolve: NoteableResolver
  /** What is recorded of one that another noteable refers to. */
  mentioned(target: { readonly id: number; readonly namespace_id: number }, by: Mentioning): Fact
}

/** Where something is mentioned. */
export interface Mentioning {
  readonly id: number
  /** What it is: {@link NoteableKind.noun}. */
  readonly noun: string
  /** As it is written where the mentioned thing is. */
  readonly reference: string
}

export interface QuickActions {
  /** Those that these have; other lines that begin with `/` stay text. */
  readonly actions: ActionTable
  /** Locks what commands name, before the noteable itself. */
  lockNamed(tx: Tx, caller: Caller, commands: readonly Command[]): Promise<void>
  apply(tx: Tx, caller: Caller, key: NoteableKey, commands: readonly Command[]): Promise<Applied>
}

/** What came of the commands in a body. */
export interface Applied {
  readonly changes: CommandsChanges
  /** A sentence for each. */
  readonly summary: readonly string[]
  /** Whether one of them at least could be done. */
  readonly applied: boolean
}

export interface SystemNote {
  readonly body: string
  /** Another noteable that it names: who may not see that one does not see the note. */
  readonly about?: number
  /** Whether it tells of a mention, which is kept once for each noteable that mentions. */
  readonly mention?: boolean
}

/** What a resource event tells beside its noteable, its author and its time. */
export type ResourceEvent =
  | { readonly kind: 'state'; readonly state: string }
  | { readonly kind: 'label'; readonly label_id: number; readonly action: 'add' | 'remove' }
  | { readonly kind: 'milestone'; readonly milestone_id: number; readonly action: 'add' | 'remove' }
  | { readonly kind: 'weight'; readonly weight: number | null }
