import type { Feature } from '#platform/feature.ts'
import { accessTokenRoutes } from './access-token-routes.ts'
import { badgePages } from './badge-routes.ts'
import { ciSettingsRoutes } from './ci-routes.ts'
import { generalRoutes } from './general-routes.ts'
import { groupSettingsRoutes } from './group-routes.ts'
import { hookRoutes } from './hook-routes.ts'
import { importPages } from './import-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { mergeRequestSettingsRoutes } from './merge-request-routes.ts'
import { newRoutes } from './new-routes.ts'
import { repositorySettingsRoutes } from './repository-routes.ts'

/** New projects and groups, and what their maintainers and owners decide. */
export const settingsPages: Feature = {
  pages: [
    newRoutes,
    importPages,
    generalRoutes,
    memberRoutes,
    repositorySettingsRoutes,
    mergeRequestSettingsRoutes,
    ciSettingsRoutes,
    accessTokenRoutes,
    hookRoutes,
    badgePages,
    groupSettingsRoutes,
  ],
}
