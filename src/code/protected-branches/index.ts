import type { Feature } from '#platform/feature.ts'
import { protectedBranchRoutes } from './routes.ts'

/** Branches that not everybody may change. */
export const protectedBranches: Feature = {
  areas: [
    {
      name: 'Protected branches',
      about: 'Branches that not everybody may change.',
      segments: ['protected_branches'],
    },
  ],
  routes: [protectedBranchRoutes],
}
