import { activity, type DetailsOf } from '#platform/facts/definitions.ts'
import type { ListKind } from './entity.ts'

/** Which list of which board. */
interface OfList {
  readonly board_id: number
  readonly kind: ListKind
  /** The id of its label, assignee or milestone. */
  readonly of_id: number
}

export const boardFacts = {
  'board created': activity<{ name: string }>(),
  'board changed': activity<{ name: string; fields: readonly string[] }>(),
  'board deleted': activity<{ name: string }>(),
  'board list created': activity<OfList>(),
  'board list moved': activity<OfList & { from: number; to: number }>(),
  'board list deleted': activity<OfList>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof boardFacts> {}
}
