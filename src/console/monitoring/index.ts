import type { Feature } from '#platform/feature.ts'
import { monitoringPageRoutes } from './routes.ts'
import { monitoringSettingsRoutes } from './settings-routes.ts'

/** What running programs report. */
export const monitoringPages: Feature = { pages: [monitoringPageRoutes, monitoringSettingsRoutes] }
