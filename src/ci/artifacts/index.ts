import type { Feature } from '#platform/feature.ts'
import { deleteArtifactsOfProject } from './delete-artifacts-of-project.ts'
import { expireArtifacts, expiry } from './expire-artifacts.ts'
import { artifactRoutes } from './routes.ts'
import { artifactUrl } from './paths.ts'
import { artifactSettings } from './settings.ts'

/** What jobs leave behind: archives and reports. */
export const jobArtifacts: Feature = {
  areas: [
    {
      name: 'Job artifacts',
      about: 'What jobs leave behind: archives and reports.',
      segments: ['artifacts'],
    },
  ],
  routes: [artifactRoutes],
  rewrites: [artifactUrl],
  settings: artifactSettings,
  tasks: [expireArtifacts, deleteArtifactsOfProject],
  schedule: [expiry],
}
