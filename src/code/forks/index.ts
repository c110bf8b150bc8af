import type { Feature } from '#platform/feature.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { forkAbilities } from './abilities.ts'
import { copyFork } from './copy-fork.ts'
import { forkFacts } from './facts.ts'
import { forksOfProjects } from './project-extension.ts'
import { forkRoutes } from './routes.ts'

/** Forks: projects that begin with the code of another one. */
export const forks: Feature = {
  areas: [
    {
      name: 'Forks',
      about: 'Projects that begin with the code of another one.',
      segments: ['fork', 'forks'],
    },
  ],
  routes: [forkRoutes],
  abilities: forkAbilities,
  facts: forkFacts,
  extensions: [projectExtensions.with(forksOfProjects)],
  tasks: [copyFork],
}
