import type { Feature } from '#platform/feature.ts'
import { auditedBroadcastMessages, broadcastMessageFacts } from './facts.ts'
import { broadcastMessageRoutes } from './routes.ts'

/** What administrators tell people on their pages. */
export const broadcastMessages: Feature = {
  areas: [
    {
      name: 'Broadcast messages',
      about: 'Messages of administrators that pages show for a while.',
      segments: ['broadcast_messages'],
    },
  ],
  routes: [broadcastMessageRoutes],
  facts: broadcastMessageFacts,
  audited: auditedBroadcastMessages,
}
