import type { Feature } from '#platform/feature.ts'
import { pypiPublishRoutes } from './publish-routes.ts'
import { pypiReadRoutes } from './read-routes.ts'

/** Packages of Python, as twine publishes and pip reads them. */
export const pypiPackages: Feature = { routes: [pypiPublishRoutes, pypiReadRoutes] }
