import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

export const noteableFacts = {
  /**
   * People who were mentioned in a text on a noteable apart from its being written: by a change of it (`changed`), or as
   * members of a group. The author is who wrote the text; `note_id` is null for the noteable's own.
   */
  'people mentioned': fact<{ note_id: number | null; user_ids: readonly number[]; changed: boolean }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof noteableFacts> {}
}
