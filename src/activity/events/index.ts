import { userRemovalSteps } from '#identity/users/extension-points.ts'
import type { Feature } from '#platform/feature.ts'
import { recordEvents, recordStreams } from './record-events.ts'
import { removeEvents } from './remove-events.ts'
import { eventRoutes } from './routes.ts'

/** Feeds of what people did in projects. */
export const events: Feature = {
  areas: [{ name: 'Events', about: 'Feeds of what people did in projects.', segments: ['events'] }],
  routes: [eventRoutes],
  consumers: [recordEvents, recordStreams],
  extensions: [userRemovalSteps.with(removeEvents)],
}
