import type { Feature } from '#platform/feature.ts'
import { shareAbilities } from './abilities.ts'

/** Sharing projects and groups with other groups. */
export const shares: Feature = {
  abilities: shareAbilities,
}
