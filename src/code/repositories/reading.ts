import type { Feature } from '#platform/feature.ts'
import { archiveRoutes } from './archive/routes.ts'
import { compareRoutes } from './compare/routes.ts'
import { contributorRoutes } from './contributors/routes.ts'
import { languageRoutes } from './languages/routes.ts'
import { treeRoutes } from './tree/routes.ts'

/** What a repository as a whole holds: folders, archives, comparisons, who wrote it, in which languages. */
export const repositoryReading: Feature = {
  areas: [
    {
      name: 'Repositories',
      about: 'Folders, blobs, archives and comparisons of a repository.',
      segments: ['repository'],
    },
  ],
  routes: [treeRoutes, archiveRoutes, compareRoutes, contributorRoutes, languageRoutes],
}
