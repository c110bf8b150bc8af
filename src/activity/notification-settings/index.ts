import type { Feature } from '#platform/feature.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { levelsInProjects } from './project-extension.ts'
import { notificationSettingsRoutes } from './routes.ts'

/** What people want to be told of: everywhere, and in single projects and groups. */
export const notificationSettings: Feature = {
  areas: [
    {
      name: 'Notification settings',
      about: 'What the current user is told of by mail: everywhere, or in a project or group.',
      segments: ['notification_settings'],
    },
  ],
  routes: [notificationSettingsRoutes],
  extensions: [projectExtensions.with(levelsInProjects)],
}
