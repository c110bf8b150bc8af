import type { Feature } from '#platform/feature.ts'
import { publishingRoutes } from './publish-routes.ts'
import { draftNoteRoutes } from './routes.ts'

/** Notes on merge requests that only their authors see until they publish them. */
export const draftNotes: Feature = {
  areas: [
    {
      name: 'Draft notes',
      about: 'Notes on merge requests that only their authors see until they publish them.',
      segments: ['draft_notes'],
    },
  ],
  routes: [draftNoteRoutes, publishingRoutes],
}
