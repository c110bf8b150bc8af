import type { Plan, Tier } from '#platform/access/route-access.ts'

export const tier: Tier = { licensedArea: 'Protected environments', plan: 'premium' }

/** What says which plan counts. */
export interface PlanSource {
  readonly currentPlan: () => Plan
}

/** Whether protection counts with the present plan. */
export const protects = ({ currentPlan }: PlanSource): boolean => currentPlan() !== 'free'
