import type { ContainerKind } from '#platform/access/container-sources.ts'
import type { Tier } from '#platform/access/route-access.ts'

/** The plan that access tokens of projects or groups need. */
export const tiers: Readonly<Record<ContainerKind, Tier>> = {
  project: { licensedArea: 'Project access tokens', plan: 'premium', planOn: ['hosted'] },
  group: { licensedArea: 'Group access tokens', plan: 'premium', planOn: ['hosted'] },
}
