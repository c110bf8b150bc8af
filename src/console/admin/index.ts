import type { Feature } from '#platform/feature.ts'
import { auditAdminPages } from './audit-routes.ts'
import { backgroundJobPages } from './background-job-routes.ts'
import { broadcastAdminPages } from './broadcast-routes.ts'
import { featureFlagPages } from './feature-flag-routes.ts'
import { licenseAdminPages } from './license-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { placePages } from './place-routes.ts'
import { projectStoragePages } from './project-storage-routes.ts'
import { runnerAdminPages } from './runner-routes.ts'
import { settingsAdminPages } from './settings/routes.ts'
import { spamAdminPages } from './spam-routes.ts'
import { storageAdminPages } from './storage-routes.ts'
import { userAdminPages } from './user-routes.ts'

/** What administrators see and do in the browser: a client of the API's routes for them. */
export const adminPages: Feature = {
  pages: [
    overviewRoutes,
    userAdminPages,
    placePages,
    broadcastAdminPages,
    licenseAdminPages,
    backgroundJobPages,
    runnerAdminPages,
    storageAdminPages,
    projectStoragePages,
    featureFlagPages,
    auditAdminPages,
    spamAdminPages,
    settingsAdminPages,
  ],
}
