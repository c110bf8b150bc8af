import type { Feature } from '#platform/feature.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { commitNoteAbilities } from './abilities.ts'
import { commentRoutes } from './comment-routes.ts'
import { commitNoteable } from './noteable.ts'

/** Notes and discussions on commits. */
export const commitNotes: Feature = {
  routes: [commentRoutes],
  abilities: commitNoteAbilities,
  extensions: [noteable(commitNoteable)],
}
