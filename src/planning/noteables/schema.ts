import { type Static, type TProperties, Type } from 'typebox'
import { ById, flag, integer, MAX_INT4, moment, text } from '#platform/http/schema.ts'
import type { BuiltKind, NoteableParam } from './built.ts'
import { noteables } from './noteables.ts'

/** Parameters that follow from the table of noteables: each kind declares those that it has. */

type Named = { readonly id: string } & Readonly<Record<NoteableParam, number>>

/** The path of a noteable, and what a longer path names besides. */
export function byNoteable<More extends TProperties>(kind: BuiltKind, more: More) {
  const { param, by } = noteables[kind]
  // An iid is an `integer` in the database; a larger number would be an error there.
  const number = integer({ minimum: 1, ...(by === 'iid' ? { maximum: MAX_INT4 } : {}) })
  return Type.Unsafe<Named & Static<ReturnType<typeof Type.Object<More>>>>(
    Type.Object({ ...ById.properties, [param]: number, ...more }),
  )
}

export const noteId = integer({ minimum: 1, description: 'The id of a note.' })

const MAX_BODY = 1_000_000
const body = text({ max: MAX_BODY, filled: true })

const internal = flag({
  description:
    'Whether only members from Planner up, and the author, see it. Takes precedence over `confidential`.',
})
const confidential = Type.Boolean({ deprecated: true, description: 'The older name of `internal`.' })
const created_at = moment({
  after: '1970-01-01',
  description: 'Only from owners and administrators. From others, the server ignores it.',
})

/** What somebody asks to be written. */
export interface NewNote {
  readonly body: string
  readonly internal?: boolean
  readonly confidential?: boolean
  readonly created_at?: string
}

const creating = {
  internal: Type.Optional(internal),
  confidential: Type.Optional(confidential),
  created_at: Type.Optional(created_at),
  merge_request_diff_head_sha: Type.Optional(text({ description: 'What `/merge` was decided on.' })),
}

/** The parameters of a new note, or of one that starts a discussion. */
export const newNote = (kind: BuiltKind) =>
  Type.Unsafe<NewNote>(Type.Object({ body, ...picked(creating, noteables[kind].create) }))

/** Those of a reply, which is as internal as what it replies to. */
export const newReply = (kind: BuiltKind) => {
  const names = noteables[kind].create.filter((name) => name !== 'internal' && name !== 'confidential')
  return Type.Unsafe<Pick<NewNote, 'body' | 'created_at'>>(Type.Object({ body, ...picked(creating, names) }))
}

/** What somebody asks to be changed. */
export interface NoteChanges {
  readonly body?: string
  readonly confidential?: boolean
}

export function noteChanges(kind: BuiltKind) {
  const { bodyRequired, confidential: mayBecomeInternal } = noteables[kind].update
  return Type.Unsafe<NoteChanges>(
    Type.Object({
      body: bodyRequired ? body : Type.Optional(body),
      ...(mayBecomeInternal ? { confidential: Type.Optional(confidential) } : {}),
    }),
  )
}

function picked(from: TProperties, names: readonly string[]): TProperties {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}
