import type { Feature } from '#platform/feature.ts'
import { protectBranchRoutes } from './protect-routes.ts'
import { branchRoutes } from './routes.ts'

/** Branches of repositories. */
export const branches: Feature = {
  areas: [
    {
      name: 'Branches',
      about: 'Branches of a repository.',
      segments: ['branches', 'merged_branches'],
    },
  ],
  routes: [branchRoutes, protectBranchRoutes],
}
