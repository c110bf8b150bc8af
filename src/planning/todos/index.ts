import type { Feature } from '#platform/feature.ts'
import { userCounts } from '#identity/users/extension-points.ts'
import { pendingTodosCount } from './queries.ts'
import { todoRoutes } from './routes.ts'

/** A user's list of what to look at. */
export const todos: Feature = {
  areas: [{ name: 'To-dos', about: 'What waits for the current user.', segments: ['todos', 'todo'] }],
  routes: [todoRoutes],
  extensions: [userCounts.with(pendingTodosCount)],
}
