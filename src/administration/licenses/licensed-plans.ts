/** The licensed plans; the free plan needs no license. */
export const licensedPlans = ['premium', 'ultimate'] as const
