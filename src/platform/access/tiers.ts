import { forbidden } from '#platform/refusals.ts'
import type { Offering, Plan, Tier } from './route-access.ts'

const order: Readonly<Record<Plan, number>> = { free: 0, premium: 1, ultimate: 2 }

interface Instance {
  readonly currentPlan: () => Plan
  readonly config: { readonly offering: Offering }
}

/**
 * Applies a route's restriction to plans and offerings: item 8 of the order of checks.
 * @throws 403 that names the area and what it needs
 */
export function assertTier(tier: Tier | undefined, services: Instance): void {
  const lack = lackOf(tier, services)
  if (lack !== undefined) throw forbidden(lack)
}

/** Whether the instance has what such a restriction asks for. */
export const meetsTier = (tier: Tier | undefined, services: Instance): boolean =>
  lackOf(tier, services) === undefined

function lackOf(tier: Tier | undefined, services: Instance): string | undefined {
  if (tier === undefined) return undefined
  if (tier.offerings !== undefined && !tier.offerings.includes(services.config.offering))
    return `${tier.licensedArea} needs the offering ${tier.offerings.join(' or ')}`
  const asked = tier.planOn === undefined || tier.planOn.includes(services.config.offering)
  if (asked && order[services.currentPlan()] < order[tier.plan])
    return `${tier.licensedArea} needs ${tier.plan}`
  return undefined
}
