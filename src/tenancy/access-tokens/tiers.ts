import type { ContainerKind } from '#platform/access/containers.ts'
import type { Tier } from '#platform/access/route-access.ts'

/** Where access tokens of projects or of groups take a plan. */
export const tiers: Readonly<Record<ContainerKind, Tier>> = {
  project: { licensedArea: 'Project access tokens', plan: 'premium', planOn: ['hosted'] },
  group: { licensedArea: 'Group access tokens', plan: 'premium', planOn: ['hosted'] },
}
