import { containerSources } from '#platform/access/container-sources.ts'
import type { Feature } from '#platform/feature.ts'
import { beforeUserDeletions } from '#identity/users/extension-points.ts'
import { groupSource } from './container-source.ts'
import { groupAbilities } from './abilities.ts'
import { deleteSoleOwnedGroups } from './delete-sole-owned.ts'
import { auditedGroup, groupFacts } from './facts.ts'
import { groupRoutes } from './routes.ts'
import { groupSettings } from './settings.ts'
import { groupShareRoutes } from './share-routes.ts'
import { groupTreeRoutes } from './tree-routes.ts'

/** Groups and subgroups. */
export const groups: Feature = {
  areas: [
    {
      name: 'Groups',
      about: 'Groups and subgroups contain projects.',
      segments: ['groups', 'subgroups', 'descendant_groups', 'organizations'],
    },
  ],
  routes: [groupRoutes, groupTreeRoutes, groupShareRoutes],
  abilities: groupAbilities,
  facts: groupFacts,
  audited: auditedGroup,
  settings: groupSettings,
  extensions: [containerSources.with(groupSource), beforeUserDeletions.with(deleteSoleOwnedGroups)],
}
