import type { Feature } from '#platform/feature.ts'
import { commitNoteAbilities } from './abilities.ts'
import { commentRoutes } from './comment-routes.ts'
import { commitKind } from './kind.ts'

/** Notes and discussions on commits. */
export const commitNotes: Feature = {
  routes: [commentRoutes],
  abilities: commitNoteAbilities,
  extensions: commitKind.extensions,
}
