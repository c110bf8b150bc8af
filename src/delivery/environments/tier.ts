import type { DeploymentTier } from '#platform/db/schema.ts'

export const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const

/** What names of environments contain, tier by tier. The first that fits decides: `preprod` is for staging. */
const hints: readonly (readonly [DeploymentTier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|ac(?:ce|)pt|qa|qc|control|quality/i],
  ['staging', /sta?g|mode?l|pre|demo|non/i],
  ['production', /pro?d|live/i],
]

/** The tier of an environment, as far as its name tells. */
export function guessTier(name: string): DeploymentTier {
  return hints.find(([, hint]) => hint.test(name))?.[0] ?? 'other'
}
