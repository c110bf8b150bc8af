import type { Feature } from '#platform/feature.ts'
import { retiredRoutes } from './routes.ts'

/** What GitLab retired before this server was made. */
export const retired: Feature = {
  areas: [
    {
      name: 'Retired',
      about: 'What GitLab retired before this server was made: 404, with what there is instead.',
      segments: ['geo_nodes', 'managed_licenses'],
    },
  ],
  routes: [retiredRoutes],
}
