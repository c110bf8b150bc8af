import type { Feature } from '#platform/feature.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { variableAbilities } from './abilities.ts'
import { auditedVariable, variableFacts } from './facts.ts'
import { instanceVariableRoutes } from './instance-routes.ts'
import { variableRoutes } from './routes.ts'
import { sealedValues } from './values.ts'

/** CI/CD variables of projects, groups and the instance. */
export const ciVariables: Feature = {
  areas: [
    {
      name: 'CI/CD variables',
      about:
        'What jobs find in their environment: variables of projects, of groups for everything in them, and of the instance.',
      segments: ['variables', 'ci'],
    },
  ],
  routes: [variableRoutes, instanceVariableRoutes],
  abilities: variableAbilities,
  facts: variableFacts,
  audited: auditedVariable,
  unique: { ci_variables_key: { attribute: 'key' } },
  extensions: [sealedColumns.with(sealedValues)],
}
