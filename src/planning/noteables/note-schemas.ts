import { type TProperties, Type } from 'typebox'
import { flag, moment, rules, text } from '#platform/http/schema.ts'
import type { NoteableKind } from './kind.ts'
import { RequestedPosition } from './position.ts'

/** Parameters of notes; each kind declares which of them it has. */

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

/** A request to write a note. */
export interface NewNote {
  readonly body: string
  readonly internal?: boolean
  readonly confidential?: boolean
  readonly created_at?: string
  readonly merge_request_diff_head_sha?: string
  readonly position?: RequestedPosition
  /** The commit of a merge request on whose diff the position is. */
  readonly commit_id?: string
}

const creating = {
  internal: Type.Optional(internal),
  confidential: Type.Optional(confidential),
  created_at: Type.Optional(created_at),
  merge_request_diff_head_sha: Type.Optional(text({ description: 'What `/merge` was decided on.' })),
  position: Type.Optional(RequestedPosition),
  commit_id: Type.Optional(
    text({ max: 64, filled: true, description: 'The commit on whose diff the position is.' }),
  ),
}

const ofThreads: ReadonlySet<string> = new Set(['position', 'commit_id'])
const ofFirstNotes: ReadonlySet<string> = new Set([...ofThreads, 'internal', 'confidential'])

/** The parameters of a new note that stands alone. */
export const newNote = ({ notes }: NoteableKind) => {
  const names = notes.create.filter((name) => !ofThreads.has(name))
  return Type.Unsafe<NewNote>(Type.Object({ body, ...picked(creating, names) }))
}

/** The parameters of a note that starts a discussion. */
export const newThread = ({ notes }: NoteableKind) => {
  const needs = notes.create.includes('commit_id') ? rules({ needs: { commit_id: 'position' } }) : {}
  return Type.Unsafe<NewNote>(Type.Object({ body, ...picked(creating, notes.create) }, needs))
}

/** The parameters of a reply, which is as internal as the note to which it replies, and stands where that one stands. */
export const newReply = ({ notes }: NoteableKind) => {
  const names = notes.create.filter((name) => !ofFirstNotes.has(name))
  return Type.Unsafe<Pick<NewNote, 'body' | 'created_at' | 'merge_request_diff_head_sha'>>(
    Type.Object({ body, ...picked(creating, names) }),
  )
}

/** A request to change a note. */
export interface NoteChanges {
  readonly body?: string
  readonly confidential?: boolean
}

export function noteChanges({ notes }: NoteableKind) {
  const { bodyRequired, confidential: mayBecomeInternal } = notes.update
  return Type.Unsafe<NoteChanges>(
    Type.Object({
      body: bodyRequired ? body : Type.Optional(body),
      ...(mayBecomeInternal ? { confidential: Type.Optional(confidential) } : {}),
    }),
  )
}

interface ThreadNoteChanges extends NoteChanges {
  readonly resolved?: boolean
}

/** The same for a note in a discussion, which can be resolved on some noteables. */
export function threadNoteChanges(kind: NoteableKind) {
  if (kind.resolving === undefined) return Type.Unsafe<ThreadNoteChanges>(noteChanges(kind))
  const properties = {
    body: Type.Optional(body),
    ...(kind.notes.update.confidential ? { confidential: Type.Optional(confidential) } : {}),
    resolved: Type.Optional(flag({ description: 'Resolves the note, or opens it again.' })),
  }
  const conditions = rules({ exactlyOneOf: ['body', 'resolved'], excludes: { resolved: ['confidential'] } })
  return Type.Unsafe<ThreadNoteChanges>(Type.Object(properties, conditions))
}

function picked(from: TProperties, names: readonly string[]): TProperties {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}
