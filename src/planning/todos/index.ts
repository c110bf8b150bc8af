import type { Feature } from '#platform/feature.ts'
import { userCounts } from '#identity/users/extension-points.ts'
import { pendingTodosCount } from './queries.ts'
import { todoRoutes } from './routes.ts'

/** What somebody wants to be reminded of. */
export const todos: Feature = {
  areas: [{ name: 'To-dos', about: 'What waits for the current user.', segments: ['todos', 'todo'] }],
  routes: [todoRoutes],
  extensions: [userCounts.with(pendingTodosCount)],
}
