import type { Feature } from '#platform/feature.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { todoTargets } from '#planning/todos/targets.ts'
import { commitNoteAbilities } from './abilities.ts'
import { commentRoutes } from './comment-routes.ts'
import { commitNoteable } from './noteable.ts'
import { commitTodos } from './todo-target.ts'

/** Notes and discussions on commits. */
export const commitNotes: Feature = {
  routes: [commentRoutes],
  abilities: commitNoteAbilities,
  extensions: [noteable(commitNoteable), todoTargets.with(commitTodos)],
}
