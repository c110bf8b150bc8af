import type { Feature } from '#platform/feature.ts'
import { shareAbilities } from './abilities.ts'

/** Groups that take part in projects and other groups. */
export const shares: Feature = {
  abilities: shareAbilities,
}
