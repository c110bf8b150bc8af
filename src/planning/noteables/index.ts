import type { Feature } from '#platform/feature.ts'
import { mentionGroups } from './mention-groups.ts'

/** What issues, merge requests and the like have in common: people write notes on them. */
export const noteables: Feature = {
  tasks: [mentionGroups],
}
