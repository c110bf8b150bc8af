import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

/** What the note is on. */
interface NoteDetails {
  readonly noteable_type: string
  readonly noteable_id: number
  readonly internal: boolean
}

export const noteFacts = {
  'note created': activity<NoteDetails>(),
  'note changed': activity<NoteDetails>(),
  'note deleted': activity<NoteDetails>(),
  /** All notes of a thread, or one of them. The target is the first of these. */
  'thread resolved': activity<NoteDetails>(),
  'thread reopened': activity<NoteDetails>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof noteFacts> {}
}
