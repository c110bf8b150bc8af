import type { Feature } from '#platform/feature.ts'
import { searchRoutes } from './routes.ts'
import { searchSettings } from './settings.ts'
import { searchUrl } from './search-url.ts'

/** Searches of the instance, of a group or of a project, for things of one kind. */
export const search: Feature = {
  areas: [
    {
      name: 'Search',
      about: 'Searches of the instance, of a group or of a project, for things of one kind.',
      segments: ['search'],
    },
  ],
  routes: [searchRoutes],
  rewrites: [searchUrl],
  settings: searchSettings,
}
