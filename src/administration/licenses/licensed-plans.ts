/** Plans that are licensed; what needs no license is free. */
export const licensedPlans = ['premium', 'ultimate'] as const
