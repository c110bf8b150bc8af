import type { Feature } from '#platform/feature.ts'
import { pageMessages } from '#platform/pages/page.ts'
import { broadcastRoutes } from './routes.ts'
import { broadcastsFor } from './broadcasts.ts'

/** The messages of administrators above every page. */
export const broadcastPages: Feature = {
  pages: [broadcastRoutes],
  extensions: [pageMessages.with(broadcastsFor)],
}
