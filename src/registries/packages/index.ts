import type { Feature } from '#platform/feature.ts'
import { packageAbilities } from './abilities.ts'
import { auditedPackage, packageFacts } from './facts.ts'
import { packageRoutes } from './routes.ts'
import { packageSettings } from './settings.ts'

/** What projects publish, whatever its format. */
export const packages: Feature = {
  areas: [
    {
      name: 'Packages',
      about: 'What projects publish: packages with their versions and files.',
      segments: ['packages'],
    },
  ],
  routes: [packageRoutes],
  abilities: packageAbilities,
  facts: packageFacts,
  audited: auditedPackage,
  settings: packageSettings,
}
