import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

export const labelFacts = {
  'label created': activity<{ label: string }>(),
  'label changed': activity<{ label: string; fields: readonly string[] }>(),
  'label deleted': activity<{ label: string }>(),
  'label promoted': activity<{ label: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof labelFacts> {}
}
