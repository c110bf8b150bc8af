import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** An environment by its name. */
interface EnvironmentName {
  readonly environment: string
}

export const environmentFacts = {
  'environment created': fact<EnvironmentName & { tier: string }>(),
  'environment changed': fact<EnvironmentName & FieldChanges>(),
  /** A deployment succeeded there. */
  'environment started': fact<EnvironmentName>(),
  /** `by_itself`: its time had come. */
  'environment stopped': fact<EnvironmentName & { by_itself?: true }>(),
  /** It will be deleted at that moment, unless it starts again. */
  'environment deletion scheduled': fact<EnvironmentName & { at: string }>(),
  'environment deleted': fact<EnvironmentName>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof environmentFacts> {}
}
