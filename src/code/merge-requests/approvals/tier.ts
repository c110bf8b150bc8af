import type { Plan, Tier } from '#platform/access/route-access.ts'

/** Approving is for every plan. That a merge needs approvals is not. */
export const approvalRules: Tier = { licensedArea: 'Approval rules', plan: 'premium' }

/** Whether rules and settings of approvals count with the present plan. */
export const demandsApprovals = ({ currentPlan }: { readonly currentPlan: () => Plan }): boolean =>
  currentPlan() !== 'free'
