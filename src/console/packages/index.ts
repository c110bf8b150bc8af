import type { Feature } from '#platform/feature.ts'
import { groupRegistrySettingsRoutes } from './group-settings-routes.ts'
import { packagePageRoutes } from './routes.ts'
import { registrySettingsRoutes } from './settings-routes.ts'

/** Packages and images, and how to install them. */
export const packagePages: Feature = {
  pages: [packagePageRoutes, registrySettingsRoutes, groupRegistrySettingsRoutes],
}
