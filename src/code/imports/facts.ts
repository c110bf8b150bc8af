import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

export const importFacts = {
  /** The beginning of it, in the new project. */
  'project import scheduled': activity<{ kind: string; url: string | null }>(),
  'project import finished': activity<{ kind: string }>(),
  'project import failed': activity<{ kind: string; error: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof importFacts> {}
}
