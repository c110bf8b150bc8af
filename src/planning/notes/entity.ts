import { type Static, Type } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import type { NoteType, UserState } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { CommandsResult, NoteableKind } from '#planning/noteables/kind.ts'
import { type NotePosition, Position } from '#planning/noteables/position.ts'
import { Suggestion } from '#planning/noteables/suggesting.ts'
import { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { isResolvable } from './resolvable.ts'

/** The author of a note: the specification's fields and those that clients read besides. */
export const NoteAuthor = entity('NoteAuthor', {
  ...UserBasic.properties,
  email: nullable(
    Type.String({
      description: 'The public e-mail address; for administrators and the author, the private one.',
    }),
  ),
  created_at: moment(),
})

/** The answer to a body that had nothing but commands. */
export const CommandsOnly = entity('CommandsOnly', {
  commands_changes: CommandsChanges,
  summary: Type.Array(Type.String({ description: 'A sentence about what was done.' })),
})
export type CommandsOnly = Static<typeof CommandsOnly>

/** How many people reacted to a note in one way, and the first of them. */
export const NoteReaction = entity('NoteReaction', {
  name: Type.String(),
  count: integer(),
  usernames: Type.Array(Type.String(), { description: 'Of the first ten who reacted so.' }),
})

const everywhere = {
  id: integer(),
  type: nullable(Type.String({ description: 'Null for a single note.' })),
  body: Type.String(),
  attachment: nullable(Type.String()),
  author: NoteAuthor,
  created_at: moment(),
  updated_at: moment(),
  system: Type.Boolean({ description: 'Whether it is a system note about a change.' }),
  noteable_id: nullable(integer()),
  noteable_type: Type.String(),
  noteable_iid: nullable(integer()),
  project_id: nullable(integer()),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean({ deprecated: true }),
  internal: Type.Boolean(),
  reactions: Type.Optional(
    Type.Array(NoteReaction, {
      description:
        'Only where `with_reactions` asks for them: at most 20 kinds, those that were given first.',
    }),
  ),
}

const somewhere = {
  imported: { imported: Type.Boolean(), imported_from: Type.String() },
  /** Only of notes on a diff: their `type` is `DiffNote`. */
  position: Type.Optional(Position),
  commit: Type.Optional(
    nullable(
      Type.String({
        description:
          'Only of notes on the diff of a merge request; null where they are about all of its commits.',
      }),
    ),
  ),
  suggestions: Type.Optional(
    Type.Array(Suggestion, {
      description: 'Only of notes on a diff: what they suggest instead of its lines.',
    }),
  ),
  resolving: {
    resolved: Type.Optional(Type.Boolean({ description: 'Only of notes that can be resolved.' })),
    resolved_by: Type.Optional(nullable(UserBasic)),
    resolved_at: Type.Optional(nullable(moment())),
  },
  commands: {
    commands_changes: CommandsChanges,
    summary: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only in the answer to a body with quick actions: a sentence for each of them.',
      }),
    ),
  },
}

/** A note on anything; fields that notes on some noteables lack are optional. */
const Note = Type.Object({
  ...everywhere,
  ...Type.Partial(
    Type.Object({
      ...somewhere.imported,
      ...somewhere.resolving,
      ...somewhere.commands,
    }),
  ).properties,
  position: somewhere.position,
  commit_id: somewhere.commit,
  suggestions: somewhere.suggestions,
})
export type Note = Static<typeof Note>

function makeNote({ type, unrecorded, resolving, suggesting, notes: { fields } }: NoteableKind) {
  return Type.Unsafe<Note>(
    entity(`${type.replace(/\W/g, '')}Note`, {
      ...everywhere,
      noteable_id:
        unrecorded === undefined
          ? integer()
          : Type.Unsafe<null>({ type: 'null', description: 'Always null.' }),
      ...(fields.imported ? somewhere.imported : {}),
      ...(fields.diff === undefined ? {} : { position: somewhere.position }),
      ...(fields.diff === 'of several commits' ? { commit_id: somewhere.commit } : {}),
      ...(suggesting === undefined ? {} : { suggestions: somewhere.suggestions }),
      ...(resolving === undefined ? {} : somewhere.resolving),
      ...(fields.commands ? somewhere.commands : {}),
    }),
  )
}

const entities = new WeakMap<NoteableKind, ReturnType<typeof makeNote>>()

/** A note on that kind of noteable, as the API presents it. */
export function noteOn(kind: NoteableKind): ReturnType<typeof makeNote> {
  const made = entities.get(kind) ?? makeNote(kind)
  entities.set(kind, made)
  return made
}

/** A note with its author. */
export interface NoteRow {
  readonly id: number
  readonly type: NoteType | null
  readonly body: string
  /** The size in bytes of a body that was too long to be read with the other rows; null when it is there. */
  readonly left_out: number | null
  readonly system: boolean
  readonly internal: boolean
  /** Only where notes may stand on a diff. */
  readonly position?: NotePosition | null
  /** Only where notes may suggest changes; null for none. */
  readonly suggestions?: readonly Suggestion[] | null
  /** Only where notes can be resolved; null for a note that is not. */
  readonly resolution?: Resolution | null
  /** Only where a list of discussions was asked for them. */
  readonly reactions?: readonly Static<typeof NoteReaction>[]
  readonly created_at: string
  readonly updated_at: string
  readonly author_id: number
  readonly author_username: string
  readonly author_name: string
  readonly author_email: string
  readonly author_public_email: string | null
  readonly author_avatar: string | null
  readonly author_state: UserState
  readonly author_created_at: string
}

/** When a note was resolved, and by whom, if they are still there. */
export interface Resolution {
  readonly at: string
  readonly by: UserBasicRow | null
}

/** The result of the commands in a body. */
export type Commands = Pick<CommandsResult, 'changes' | 'summary'>
export const noCommands: Commands = { changes: {}, summary: [] }

/** What presenters of notes need from the request. */
interface Audience {
  readonly viewer: Viewer
  readonly site: string
}

/** What presenters need of the noteable. */
type NotedOn = Pick<Noteable, 'kind' | 'id' | 'iid'> & {
  readonly container: Pick<Noteable['container'], 'projectId'>
}

export function presentNote(
  row: NoteRow,
  on: NotedOn,
  audience: Audience,
  commands: Commands = noCommands,
  author = presentAuthor(row, audience),
): Note {
  const { type, notes, unrecorded } = on.kind
  const { fields } = notes
  const created_at = iso(row.created_at)
  return {
    id: row.id,
    type: row.type,
    body: row.body,
    attachment: null,
    author,
    created_at,
    // Most notes are never changed.
    updated_at: row.updated_at === row.created_at ? created_at : iso(row.updated_at),
    system: row.system,
    noteable_id: unrecorded === undefined ? on.id : null,
    noteable_type: type,
    noteable_iid: fields.iid ? on.iid : null,
    project_id: on.container.projectId,
    resolvable: isResolvable(row, on.kind),
    confidential: row.internal,
    internal: row.internal,
    ...(row.reactions === undefined ? {} : { reactions: [...row.reactions] }),
    ...(fields.imported ? { imported: false, imported_from: 'none' } : {}),
    ...(row.position ? presentPlace(row.position, on) : {}),
    ...(row.position && on.kind.suggesting ? { suggestions: [...(row.suggestions ?? [])] } : {}),
    ...(isResolvable(row, on.kind) ? presentResolution(row, audience.site) : {}),
    ...(fields.commands ? presentCommands(commands) : {}),
  }
}

/** Where a note on a diff stands. Strict clients take the place of another note, even a null, for an error. */
function presentPlace(placed: NotePosition, { kind }: NotedOn) {
  const { commit_id = null, ...position } = placed
  return kind.notes.fields.diff === 'of several commits' ? { commit_id, position } : { position }
}

const presentResolution = ({ resolution }: NoteRow, site: string) => ({
  resolved: Boolean(resolution),
  resolved_by: resolution?.by ? presentUserBasic(resolution.by, site) : null,
  resolved_at: resolution ? iso(resolution.at) : null,
})

const presentCommands = ({ changes, summary }: Commands) => ({
  commands_changes: changes,
  ...(summary.length > 0 ? { summary: [...summary] } : {}),
})

/** Few people write most of a conversation, so each of them is presented once. */
export function presentNotes(rows: readonly NoteRow[], on: Noteable, audience: Audience): Note[] {
  const authors = new Map<number, Static<typeof NoteAuthor>>()
  return rows.map((row) => {
    const author = authors.get(row.author_id) ?? presentAuthor(row, audience)
    authors.set(row.author_id, author)
    return presentNote(row, on, audience, noCommands, author)
  })
}

/** The author without what only notes show. */
export function presentAuthorBasic(row: NoteRow, site: string): Static<typeof UserBasic> {
  return presentUserBasic(authorOf(row), site)
}

export const authorOf = (row: Omit<NoteRow, 'left_out'>): UserBasicRow => ({
  id: row.author_id,
  username: row.author_username,
  public_email: row.author_public_email,
  name: row.author_name,
  state: row.author_state,
  avatar: row.author_avatar,
})

function presentAuthor(row: NoteRow, { viewer, site }: Audience): Static<typeof NoteAuthor> {
  const seesPrivate = viewer.admin || viewer.id === row.author_id
  return {
    ...presentAuthorBasic(row, site),
    email: seesPrivate ? row.author_email : row.author_public_email,
    created_at: iso(row.author_created_at),
  }
}
