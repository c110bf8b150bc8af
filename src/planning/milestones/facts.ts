import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

export const milestoneFacts = {
  'milestone created': activity<{ title: string }>(),
  'milestone changed': activity<{ title: string; fields: readonly string[] }>(),
  'milestone closed': activity<{ title: string }>(),
  'milestone activated': activity<{ title: string }>(),
  'milestone deleted': activity<{ title: string }>(),
  'milestone promoted': activity<{ title: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof milestoneFacts> {}
}
