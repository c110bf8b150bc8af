import type { Feature } from '#platform/feature.ts'
import { settingsRoutes } from './routes.ts'
import { auditedSettings, settingsFacts } from './facts.ts'

/** The settings of the application. */
export const settings: Feature = {
  areas: [
    {
      name: 'Application settings',
      about: 'Settings that administrators change for the whole instance.',
      segments: ['settings'],
    },
  ],
  routes: [settingsRoutes],
  facts: settingsFacts,
  audited: auditedSettings,
}
