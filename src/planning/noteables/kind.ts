import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { NestedValues } from '#platform/access/nested-resource.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import type { ActionTable } from '#planning/quick-actions/quick-action.ts'
import type { Reference } from '#planning/references/kinds.ts'
import type { NoteableResolver } from '#planning/references/context.ts'
import type { AuthorizedNoteableContainer, Caller, Rights } from './containers.ts'
import type { FactReader } from './fact-reader.ts'
import type { KindIdentity } from './identity.ts'
import type { NotePosition, RequestedPosition } from './position.ts'
import type { Suggesting } from './suggesting.ts'

/** The key of a noteable in a path, within its container: its iid, its id, or a text. */
export type NoteableKey = number | string

/**
 * A kind of noteable: something that has notes, discussions, awards, mentions and resource events. A feature that adds
 * one writes this object in its own folder and registers it (define-kind.ts). The rest of the code knows kinds only through
 * it.
 *
 * Its table has rows with the same `id` as their row in `noteables` (insert-noteables.ts), which says when one changed last
 * and counts its comments. Whoever changes one locks that row first (lock.ts) and says so there (touch.ts).
 */
export interface NoteableKind extends KindIdentity {
  /** Whether paths lead to discussions alone, and neither to `/notes` nor to awards. */
  readonly discussionsOnly?: true
  /** Whether reading takes a signed-in user everywhere, reactions included. */
  readonly usersOnly?: true
  /** Whether jobs read notes on these by their tokens. */
  readonly notesForJobs?: true
  /** The form of notes on these. */
  readonly notes: NoteOptions
  /** Whether the table counts awards, in its columns `upvotes` and `downvotes`. */
  readonly countsVotes?: true
  /** Finds one by its key, if a caller may see it. */
  readonly rows: Rows
  /** For noteables, such as commits, that get a row with their first note. Clients do not learn the ids of such rows. */
  readonly unrecorded?: Unrecorded
  /** Checks where a note on a diff stands; absent when notes cannot stand there. It may ask git, so no transaction is open. */
  readonly place?: (
    req: FastifyRequest,
    on: { readonly key: NoteableKey },
    requested: RequestedPosition,
    commitId?: string,
  ) => Promise<NotePosition>
  /** How notes on the diff suggest changes of it; absent where their texts are only texts. */
  readonly suggesting?: Suggesting
  /** How paths of reactions name one, when otherwise than {@link key} and {@link rows} say. */
  readonly awards?: Pick<NoteableKind, 'key'> & Pick<Rows, 'select'>
  /** How people resolve its threads; absent when they cannot. */
  readonly resolving?: ThreadResolving
  /** Whether a viewer may see the noteable with this id, in any container. */
  visibleTo(viewer: SqlViewer, id: RawBuilder<number>): RawBuilder<boolean>
  /** How people are notified of what happens to one; absent when nobody is. */
  readonly notificationQueries?: NotificationQueries
  /** A query for the text of the noteable with this id, as `text`: for example title and description. */
  readonly text: (id: RawBuilder<number>) => RawBuilder<unknown>
  /** The reference to one within its container: `#12`. Elsewhere the path of the container precedes it, and {@link separator}. */
  readonly reference: (noteable: { readonly iid: number | null; readonly key: NoteableKey }) => string
  /** What stands between that path and the reference, such as `@`; by default nothing. */
  readonly separator?: string
  /** How references in texts lead to these; absent when texts cannot name one. */
  readonly referenceTarget?: ReferenceTarget
  /** The effects of commands in the body of a note; absent when commands stay text. */
  readonly quickActions?: QuickActions
  /** The domain events that produce a system note. */
  readonly systemNotes: FactReader<SystemNote>
  /** The lists of resource events that these have, and the domain events that produce them. */
  readonly resourceEvents: {
    readonly lists: readonly (ResourceEvent['kind'] | 'iteration')[]
    readonly of: FactReader<readonly ResourceEvent[]>
  }
}

/** {@link NoteableKind.text} of noteables whose table has a title and a description. */
export const titleAndDescription =
  (table: string): NoteableKind['text'] =>
  (id) =>
    sql`select title || e'\n\n' || coalesce(description, '') as text from ${sql.table(table)} where id = ${id}`

/** How notes, and the parameters for them, differ between kinds. */
export interface NoteOptions {
  /** Fields that only notes on some noteables have; without `iid` their `noteable_iid` is null. */
  readonly fields: {
    readonly iid: boolean
    readonly imported: boolean
    readonly commands: boolean
    /** Whose diff notes may stand on: they have a position, and where there are several commits the one that they are about. */
    readonly diff?: 'of one commit' | 'of several commits'
  }
  /** Parameters of lists, besides `sort`, `order_by` and pages. */
  readonly list: readonly 'activity_filter'[]
  /** Parameters of a new note, besides the required `body`. */
  readonly create: readonly (
    | 'internal'
    | 'confidential'
    | 'created_at'
    | 'merge_request_diff_head_sha'
    | 'position'
    | 'commit_id'
  )[]
  readonly update: { readonly bodyRequired: boolean; readonly confidential: boolean }
}

/** How one is found by its key in its container. */
export interface Rows {
  /** Whether a caller who may read such noteables there also sees the restricted ones, such as confidential issues. */
  seesRestricted(caller: Rights): boolean
  /**
   * Selects the row with the columns `id`, `iid` (null where there is none), `locked` (whether only members may
   * comment) and `open` (whether the user sees it, or would if they saw no restricted ones: for example as its author).
   */
  select(values: NestedValues): RawBuilder<unknown>
}

/** Noteables that have no row at first: how the first note on one gives it a row. */
export interface Unrecorded {
  /**
   * The key of a noteable that paths can name in several ways: for a branch, the id of the commit at its tip. No transaction is open.
   * @throws 404
   */
  keyOf(req: Pick<FastifyRequest, 'project' | 'server'>, named: NoteableKey): Promise<NoteableKey>
  /** Keeps git from removing the noteable. It comes before the transaction that writes the first note on it. */
  preserve(req: Pick<FastifyRequest, 'project' | 'server'>, key: NoteableKey): Promise<void>
  /** Inserts the row unless it is there. @returns its id */
  insert(
    tx: Tx,
    on: { readonly key: NoteableKey; readonly container: AuthorizedNoteableContainer },
  ): Promise<number>
}

/** Queries for what mails and to-dos show of a noteable, by its id. */
export interface NotificationQueries {
  /**
   * Selects `title`; `description`, null for none; `page`, the path of its page; `reference`, as it is written in its
   * container; `iid`, null for none; and `state`, null for none.
   */
  select(id: RawBuilder<number>): RawBuilder<unknown>
  /** A query for the ids of the users who wrote it or work on it. */
  people(id: RawBuilder<number>): RawBuilder<unknown>
  /** A query for the ids of its labels. */
  readonly labels?: (id: RawBuilder<number>) => RawBuilder<unknown>
  /** Whether a user sees it who sees no restricted ones, as `open` in {@link Rows}; by default they do. */
  readonly openTo?: (id: RawBuilder<number>, user: RawBuilder<number>) => RawBuilder<boolean>
}

/** Threads that people resolve. */
export interface ThreadResolving {
  /** Whether the caller may resolve the threads of one that they may comment on. */
  may(tx: Tx, on: { readonly id: number }, caller: Caller): Promise<boolean>
  /** The domain event of the noteable when the last of its threads was resolved. */
  allResolved(target: { readonly id: number; readonly namespace_id: number }): Fact
}

/** How texts refer to noteables of a kind. */
export interface ReferenceTarget {
  /** The kind's name in `references/kinds.ts`. */
  readonly as: Reference['kind']
  readonly resolve: NoteableResolver
  /** The domain event of a noteable when another one refers to it. */
  mentioned(target: { readonly id: number; readonly namespace_id: number }, by: MentionSource): Fact
}

/** The source of a mention. */
export interface MentionSource {
  readonly id: number
  /** Its noun: {@link NoteableKind.noun}. */
  readonly noun: string
  /** As it is written from the mentioned noteable's container. */
  readonly reference: string
}

export interface QuickActions {
  /** The actions of these noteables; other lines that begin with `/` stay text. */
  readonly actions: ActionTable
  /**
   * Locks what commands name, before the noteable itself.
   * @param key undefined for a noteable that is yet to be made.
   */
  lockNamed(tx: Tx, caller: Caller, commands: readonly Command[], key: NoteableKey | undefined): Promise<void>
  /**
   * The same actions once they know what only Git can tell, for commands that need it. No transaction is open.
   * @returns undefined where these know enough.
   */
  informed?(caller: Caller, key: NoteableKey, commands: readonly Command[]): Promise<QuickActions | undefined>
  apply(
    tx: Tx,
    caller: Caller,
    key: NoteableKey,
    commands: readonly Command[],
    note?: CommandingNote,
  ): Promise<CommandsResult>
}

/** What commands need to know of the note that they are in. */
export interface CommandingNote {
  /** The commit that the writer has seen. */
  readonly merge_request_diff_head_sha?: string | undefined
}

/** The result of the commands in a body. */
export interface CommandsResult {
  readonly changes: CommandsChanges
  /** A sentence for each. */
  readonly summary: readonly string[]
  /** Whether at least one of them was applied. */
  readonly applied: boolean
}

export interface SystemNote {
  readonly body: string
  /** Another noteable that the note names. Viewers who may not see that one do not see the note. */
  readonly about?: number
  /** Whether it reports a mention, which is stored once for each noteable that mentions. */
  readonly mention?: boolean
}

/** What a resource event holds besides its noteable, its author and its time. */
export type ResourceEvent =
  | {
      readonly kind: 'state'
      readonly state: string
      /** The commit that caused it, and its noteable, which decides who learns of it. */
      readonly source_commit?: string
      readonly about_noteable_id?: number
    }
  | { readonly kind: 'label'; readonly label_id: number; readonly action: 'add' | 'remove' }
  | { readonly kind: 'milestone'; readonly milestone_id: number; readonly action: 'add' | 'remove' }
  | { readonly kind: 'weight'; readonly weight: number | null }
