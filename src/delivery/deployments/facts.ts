import type { DeploymentStatus } from '#platform/db/schema.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** A deployment by its number in the project, and where it goes. */
interface Numbered {
  readonly iid: number
  readonly environment_id: number
}

export const deploymentFacts = {
  'deployment created': fact<Numbered & { status: DeploymentStatus }>(),
  'deployment status changed': fact<Numbered & { from: DeploymentStatus; to: DeploymentStatus }>(),
  'deployment deleted': fact<Numbered>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof deploymentFacts> {}
}
