import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
  says,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutRunner {
  readonly description: string
}

/** Of the group or of the project that owns the runner; of the instance for its own. */
export const runnerFacts = {
  'runner created': fact<AboutRunner>(),
  /** By itself, with a registration token. */
  'runner registered': fact<AboutRunner>(),
  'runner changed': fact<FieldChanges & AboutRunner>(),
  'runner removed': fact<AboutRunner>(),
  /** For one more project, whose fact this is. */
  'runner enabled': fact<AboutRunner>(),
  'runner disabled': fact<AboutRunner>(),
  'runner token reset': fact<AboutRunner>(),
  'runner registration token reset': fact<object>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof runnerFacts> {}
}

export const auditedRunner: AuditedFacts = {
  'runner created': event('ci_runner_created', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { add: 'runner' },
  })),
  'runner registered': event('ci_runner_registered', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { add: 'runner', custom_message: 'Registered with a registration token' },
  })),
  'runner changed': eventForEach(changeEventNames('ci_runner', {}), ({ target, details }) =>
    changeEvents('ci_runner', {}, details, namedTarget(target, details.description)),
  ),
  'runner removed': event('ci_runner_unregistered', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { remove: 'runner' },
  })),
  'runner enabled': event('ci_runner_assigned_to_project', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    ...says('Enabled the runner for the project'),
  })),
  'runner disabled': event('ci_runner_unassigned_from_project', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    ...says('Disabled the runner for the project'),
  })),
  'runner token reset': event('ci_runner_authentication_token_reset', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    ...says('Reset the authentication token of the runner'),
  })),
  'runner registration token reset': event('ci_runner_token_reset', () =>
    says('Reset the registration token for runners'),
  ),
}
