import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { exportAbilities } from './abilities.ts'
import { exportProject, forgetExports } from './export-project.ts'
import { exportFacts } from './facts.ts'
import { exportRoutes } from './routes.ts'
import { exportSettings } from './settings.ts'

/** Exports: archives of projects, from which projects can be imported. */
export const exports: Feature = {
  areas: [
    {
      name: 'Project exports',
      about: 'Archives of projects, from which projects can be imported.',
      segments: ['export'],
    },
  ],
  routes: [exportRoutes],
  abilities: exportAbilities,
  facts: exportFacts,
  settings: exportSettings,
  tasks: [exportProject, forgetExports],
  schedule: [daily('04:20', forgetExports, {})],
}
