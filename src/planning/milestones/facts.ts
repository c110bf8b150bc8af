import { activity, type DetailsOf } from '#platform/facts/definitions.ts'
import type { MilestoneRow } from './entity.ts'

export const milestoneFacts = {
  'milestone created': activity<{ title: string }>(),
  'milestone changed': activity<{ title: string; fields: readonly string[] }>(),
  'milestone closed': activity<{ title: string }>(),
  'milestone activated': activity<{ title: string }>(),
  /** With what nobody can look up any more. */
  'milestone deleted': activity<Pick<MilestoneRow, 'title' | 'iid' | 'state' | 'start_date' | 'due_date'>>(),
  'milestone promoted': activity<{ title: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof milestoneFacts> {}
}
