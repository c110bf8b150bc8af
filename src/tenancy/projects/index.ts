import { containerSources } from '#platform/access/container-sources.ts'
import type { Feature } from '#platform/feature.ts'
import { userRemovalSteps } from '#identity/users/extension-points.ts'
import { projectSource } from './container-source.ts'
import { projectAbilities } from './abilities.ts'
import { projectActionRoutes } from './action-routes.ts'
import { auditedProject, projectFacts } from './facts.ts'
import { projectListRoutes } from './list-routes.ts'
import { projectPeopleRoutes } from './people-routes.ts'
import { projectActivity } from './project-activity.ts'
import { projectRoutes } from './routes.ts'
import { projectSettings } from './settings.ts'
import { removeStars } from './star-project.ts'

/** Projects. */
export const projects: Feature = {
  areas: [
    { name: 'Projects', about: 'Projects: settings, archiving, transfer, sharing.', segments: ['projects'] },
  ],
  routes: [projectRoutes, projectActionRoutes, projectPeopleRoutes, projectListRoutes],
  abilities: projectAbilities,
  unique: { namespaces_project_name_key: { attribute: 'project_namespace.name', also: 'name' } },
  facts: projectFacts,
  audited: auditedProject,
  settings: projectSettings,
  consumers: [projectActivity],
  extensions: [containerSources.with(projectSource), userRemovalSteps.with(removeStars)],
}
