import type { Feature } from '#platform/feature.ts'
import { packageAbilities } from './abilities.ts'
import { auditedPackage, packageFacts } from './facts.ts'
import { packageCleanup, runPackageCleanupPolicies } from './cleanup-policy.ts'
import { packagePolicyRoutes } from './policy-routes.ts'
import { packageRoutes } from './routes.ts'
import { packageRuleRoutes } from './rule-routes.ts'
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
  routes: [packageRoutes, packageRuleRoutes, packagePolicyRoutes],
  abilities: packageAbilities,
  facts: packageFacts,
  audited: auditedPackage,
  settings: packageSettings,
  unique: { package_protection_rules_key: { attribute: 'package_name_pattern' } },
  tasks: [runPackageCleanupPolicies],
  schedule: [packageCleanup],
}
