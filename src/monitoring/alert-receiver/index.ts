import type { Feature } from '#platform/feature.ts'
import { receiverPages, testAlertRoutes } from './routes.ts'
import { alertUrl } from './paths.ts'
import { alertReceiverSettings } from './settings.ts'

/** Takes in what monitoring tools report, and makes alerts of it. */
export const alertReceiver: Feature = {
  routes: [testAlertRoutes],
  pages: [receiverPages],
  rewrites: [alertUrl],
  settings: alertReceiverSettings,
}
