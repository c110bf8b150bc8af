import type { Feature } from '#platform/feature.ts'
import { discussionNoteRoutes } from './note-routes.ts'
import { resolvingRoutes } from './resolve-routes.ts'
import { discussionRoutes } from './routes.ts'

/** Threads of notes. */
export const discussions: Feature = {
  areas: [{ name: 'Discussions', about: 'Discussions: threads of notes.', segments: ['discussions'] }],
  routes: [discussionRoutes, discussionNoteRoutes, resolvingRoutes],
}
