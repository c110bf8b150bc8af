import type { Feature } from '#platform/feature.ts'
import { daily, scheduled } from '#platform/jobs/schedule.ts'
import { placeholderValues } from '#tenancy/badges/extension-points.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { repositoryAbilities } from './abilities.ts'
import { valuesForBadges } from './badge-values.ts'
import { repositoryFacts } from './facts.ts'
import { maintainRepository } from './maintain.ts'
import { repositoriesOfProjects } from './project-extension.ts'
import { forgetChanges, tidyRepositories } from './remove.ts'
import { repositorySettings } from './settings.ts'
import { snapshotRoutes } from './snapshot/routes.ts'
import { storageRoutes } from './storage-routes.ts'

/** Git repositories: where they are, who may read and change them, and the one place where references change. */
export const repositories: Feature = {
  routes: [snapshotRoutes, storageRoutes],
  abilities: repositoryAbilities,
  facts: repositoryFacts,
  settings: repositorySettings,
  extensions: [projectExtensions.with(repositoriesOfProjects), placeholderValues.with(valuesForBadges)],
  tasks: [maintainRepository, tidyRepositories, forgetChanges],
  schedule: [scheduled('*/5 * * * *', tidyRepositories, {}), daily('03:40', forgetChanges, {})],
}
