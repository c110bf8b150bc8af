import { forbidden } from '#platform/refusals.ts'
import type { Offering, Plan, Tier } from './route-access.ts'

const order: Readonly<Record<Plan, number>> = { free: 0, premium: 1, ultimate: 2 }

/**
 * Applies a route's restriction to plans and offerings: item 8 of the order of checks.
 * @throws 403 that names the area and what it needs
 */
export function assertTier(
  tier: Tier | undefined,
  services: { readonly currentPlan: () => Plan; readonly config: { readonly offering: Offering } },
): void {
  if (tier === undefined) return
  if (tier.offerings !== undefined && !tier.offerings.includes(services.config.offering)) {
    throw forbidden(`${tier.licensedArea} needs the offering ${tier.offerings.join(' or ')}`)
  }
  const asked = tier.planOn === undefined || tier.planOn.includes(services.config.offering)
  if (asked && order[services.currentPlan()] < order[tier.plan])
    throw forbidden(`${tier.licensedArea} needs ${tier.plan}`)
}
