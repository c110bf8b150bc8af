import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

/** The target is what the award is on. */
interface Award {
  readonly emoji: string
  readonly award_id: number
}

export const awardEmojiFacts = {
  'award emoji given': activity<Award>(),
  'award emoji taken back': activity<Award>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof awardEmojiFacts> {}
}
