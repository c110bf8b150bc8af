import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface LockedPath {
  readonly path: string
}

export const lfsLockFacts = {
  'file locked': fact<LockedPath>(),
  /** `forced`: by somebody else than who had locked it. */
  'file unlocked': fact<LockedPath & { readonly owner_id: number; readonly forced: boolean }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof lfsLockFacts> {}
}
