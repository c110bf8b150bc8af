import type { Feature } from '#platform/feature.ts'
import { noteableFacts } from './facts.ts'
import { mentionGroups } from './mention-groups.ts'

/** What issues, merge requests and the like have in common: people write notes on them. */
export const noteables: Feature = {
  facts: noteableFacts,
  tasks: [mentionGroups],
}
