import { type Static, Type } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import type { NoteType, UserState } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { Applied, NoteableKind } from '#planning/noteables/kind.ts'
import { Position } from '#planning/noteables/position.ts'
import { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { presentUserBasic, UserBasic } from '#identity/users/basic.ts'

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
}

const somewhere = {
  imported: { imported: Type.Boolean(), imported_from: Type.String() },
  diff: {
    commit_id: nullable(Type.String()),
    position: nullable(Position),
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
  ...Type.Partial(Type.Object({ ...somewhere.imported, ...somewhere.diff, ...somewhere.commands }))
    .properties,
})
export type Note = Static<typeof Note>

function makeNote({ type, unrecorded, notes: { fields } }: NoteableKind) {
  return Type.Unsafe<Note>(
    entity(`${type.replace(/\W/g, '')}Note`, {
      ...everywhere,
      noteable_id:
        unrecorded === undefined
          ? integer()
          : Type.Unsafe<null>({ type: 'null', description: 'Always null.' }),
      ...(fields.imported ? somewhere.imported : {}),
      ...(fields.diff ? somewhere.diff : {}),
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
  readonly position?: Position | null
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

/** The result of the commands in a body. */
export type Commands = Pick<Applied, 'changes' | 'summary'>
export const noCommands: Commands = { changes: {}, summary: [] }

/** What presenters of notes need from the request. */
interface Audience {
  readonly viewer: Viewer
  readonly site: string
}

export function presentNote(
  row: NoteRow,
  on: Noteable,
  audience: Audience,
  commands: Commands = noCommands,
): Note {
  const { type, notes, unrecorded } = on.kind
  const { fields } = notes
  return {
    id: row.id,
    type: row.type,
    body: row.body,
    attachment: null,
    author: presentAuthor(row, audience),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    system: row.system,
    noteable_id: unrecorded === undefined ? on.id : null,
    noteable_type: type,
    noteable_iid: fields.iid ? on.iid : null,
    project_id: on.container.projectId,
    resolvable: false,
    confidential: row.internal,
    internal: row.internal,
    ...(fields.imported ? { imported: false, imported_from: 'none' } : {}),
    ...(fields.diff ? { commit_id: commitOf(on), position: row.position ?? null } : {}),
    ...(fields.commands ? presentCommands(commands) : {}),
  }
}

/** The commit that notes are on. */
const commitOf = ({ kind, key }: Noteable): string | null =>
  kind.unrecorded === undefined ? null : String(key)

const presentCommands = ({ changes, summary }: Commands) => ({
  commands_changes: changes,
  ...(summary.length > 0 ? { summary: [...summary] } : {}),
})

export function presentNotes(rows: readonly NoteRow[], on: Noteable, audience: Audience): Note[] {
  return rows.map((row) => presentNote(row, on, audience))
}

/** The author without what only notes show. */
export function presentAuthorBasic(row: NoteRow, site: string): Static<typeof UserBasic> {
  return presentUserBasic(
    {
      id: row.author_id,
      username: row.author_username,
      public_email: row.author_public_email,
      name: row.author_name,
      state: row.author_state,
      avatar: row.author_avatar,
    },
    site,
  )
}

function presentAuthor(row: NoteRow, { viewer, site }: Audience): Static<typeof NoteAuthor> {
  const seesPrivate = viewer.admin || viewer.id === row.author_id
  return {
    ...presentAuthorBasic(row, site),
    email: seesPrivate ? row.author_email : row.author_public_email,
    created_at: iso(row.author_created_at),
  }
}
