import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

export const awardEmojiFacts = {
  'award emoji given': activity<{ emoji: string }>(),
  'award emoji taken back': activity<{ emoji: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof awardEmojiFacts> {}
}
