import type { Feature } from '#platform/feature.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { archiveRoutes } from './archive-routes.ts'
import { importFacts } from './facts.ts'
import { importArchive } from './import-archive.ts'
import { importRepository } from './import-repository.ts'
import { importsOfProjects } from './project-extension.ts'
import { importRoutes } from './routes.ts'
import { importSettings } from './settings.ts'

/** Imports: projects that begin with what another server has. */
export const imports: Feature = {
  areas: [
    {
      name: 'Project imports',
      about: 'Projects that begin with what another server has.',
      segments: ['import'],
    },
  ],
  routes: [importRoutes, archiveRoutes],
  facts: importFacts,
  settings: importSettings,
  extensions: [projectExtensions.with(importsOfProjects)],
  tasks: [importRepository, importArchive],
}
