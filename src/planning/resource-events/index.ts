import type { Feature } from '#platform/feature.ts'
import { resourceEvents as recordResourceEvents } from './record-resource-events.ts'
import { resourceEventRoutes } from './routes.ts'

/** Changes of state, labels, milestone and weight. */
export const resourceEvents: Feature = {
  routes: [resourceEventRoutes],
  consumers: [recordResourceEvents],
}
