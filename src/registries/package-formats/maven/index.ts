import type { Feature } from '#platform/feature.ts'
import { mavenPublishRoutes } from './publish-routes.ts'
import { mavenUrl } from './paths.ts'
import { mavenReadRoutes } from './read-routes.ts'

/** Packages of Maven and of other programs that use its repositories. */
export const mavenPackages: Feature = {
  routes: [mavenPublishRoutes, mavenReadRoutes],
  rewrites: [mavenUrl],
}
