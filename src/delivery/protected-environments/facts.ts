import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface ProtectionName {
  readonly name: string
}

/** A deployment by its number in the project, and where it goes. */
interface DeploymentSummary {
  readonly iid: number
  readonly environment_id: number
  readonly environment: string
}

export const protectedEnvironmentFacts = {
  /** Both lists in words: who may deploy, and who must approve. */
  'environment protected': fact<ProtectionName & { readonly deploy: string; readonly approve: string }>(),
  'environment protection changed': fact<ProtectionName & FieldChanges>(),
  'environment unprotected': fact<ProtectionName>(),
  'deployment approved': fact<DeploymentSummary>(),
  'deployment rejected': fact<DeploymentSummary>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof protectedEnvironmentFacts> {}
}

export const auditedEnvironmentProtection: AuditedFacts = {
  'environment protected': event(
    'environment_protected',
    ({ target, details: { name, deploy, approve } }) => ({
      ...namedTarget(target, name),
      details: {
        add: 'protected environment',
        custom_message: `Protected the environment ${name}: deploy ${deploy}${approve === '' ? '' : `; approve ${approve}`}`,
      },
    }),
  ),
  'environment protection changed': eventForEach(
    changeEventNames('environment_protection', {}),
    ({ target, details }) =>
      changeEvents('environment_protection', {}, details, namedTarget(target, details.name)),
  ),
  'environment unprotected': event('environment_unprotected', ({ target, details: { name } }) => ({
    ...namedTarget(target, name),
    details: { remove: 'protected environment', custom_message: `Unprotected the environment ${name}` },
  })),
  'deployment approved': event('deployment_approved', ({ target, details: { iid, environment } }) => ({
    ...namedTarget(target, environment),
    details: { custom_message: `Approved deployment ${iid} to ${environment}` },
  })),
  'deployment rejected': event('deployment_rejected', ({ target, details: { iid, environment } }) => ({
    ...namedTarget(target, environment),
    details: { custom_message: `Rejected deployment ${iid} to ${environment}` },
  })),
}
