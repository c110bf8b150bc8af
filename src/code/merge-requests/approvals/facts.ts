import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { activity, type DetailsOf, fact, type Nothing } from '#platform/facts/definitions.ts'

interface RuleName {
  readonly name: string
}

export const approvalFacts = {
  'merge request approved': activity<Nothing>(),
  'merge request unapproved': activity<Nothing>(),
  /** The names of those whose approvals are gone. */
  'merge request approvals reset': activity<{ usernames: readonly string[] }>(),
  'merge request review submitted': activity<{ state: 'reviewed' | 'requested_changes' }>(),
  'approval rule created': fact<RuleName & { readonly approvals_required: number }>(),
  'approval rule changed': fact<RuleName & FieldChanges>(),
  'approval rule deleted': fact<RuleName>(),
  'approval settings changed': fact<FieldChanges>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof approvalFacts> {}
}

export const auditedApprovals: AuditedFacts = {
  'approval rule created': event('approval_rule_created', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: {
      add: 'approval rule',
      custom_message: `Added the approval rule ${details.name} with ${details.approvals_required} approvals`,
    },
  })),
  'approval rule changed': eventForEach(changeEventNames('approval_rule', {}), ({ target, details }) =>
    changeEvents('approval_rule', {}, details, namedTarget(target, details.name)),
  ),
  'approval rule deleted': event('approval_rule_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: { remove: 'approval rule', custom_message: `Removed the approval rule ${details.name}` },
  })),
  'approval settings changed': eventForEach(changeEventNames('approval_setting', {}), ({ details }) =>
    changeEvents('approval_setting', {}, details),
  ),
}
