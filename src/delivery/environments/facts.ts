import type { Changed } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** An environment by its name. */
interface Named {
  readonly environment: string
}

export const environmentFacts = {
  'environment created': fact<Named & { tier: string }>(),
  'environment changed': fact<Named & Changed>(),
  /** A deployment succeeded there. */
  'environment started': fact<Named>(),
  /** `by_itself`: its time had come. */
  'environment stopped': fact<Named & { by_itself?: true }>(),
  /** It will be deleted at that moment, unless it starts again. */
  'environment deletion scheduled': fact<Named & { at: string }>(),
  'environment deleted': fact<Named>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof environmentFacts> {}
}
