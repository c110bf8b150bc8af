import type { Feature } from '#platform/feature.ts'
import { changelogRoutes } from './routes.ts'

/** Changelogs, made of the trailers of commits. */
export const changelogs: Feature = { routes: [changelogRoutes] }
