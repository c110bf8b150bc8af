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

interface ReferenceName {
  readonly name: string
}
/** `allowed` says in words who may do what. */
type ReferenceProtection = ReferenceName & { readonly allowed: string }

export const protectionFacts = {
  'branch protected': fact<ReferenceProtection>(),
  'branch protection changed': fact<ReferenceName & FieldChanges>(),
  'branch unprotected': fact<ReferenceName>(),
  'tag protected': fact<ReferenceProtection>(),
  'tag unprotected': fact<ReferenceName>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof protectionFacts> {}
}

const added = (what: string, { name, allowed }: ReferenceProtection) => ({
  add: `protected ${what}`,
  custom_message: `Protected the ${what} ${name}: ${allowed}`,
})
const removed = (what: string, { name }: ReferenceName) => ({
  remove: `protected ${what}`,
  custom_message: `Unprotected the ${what} ${name}`,
})

export const auditedProtection: AuditedFacts = {
  'branch protected': event('protected_branch_created', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: added('branch', details),
  })),
  'branch protection changed': eventForEach(changeEventNames('protected_branch', {}), ({ target, details }) =>
    changeEvents('protected_branch', {}, details, namedTarget(target, details.name)),
  ),
  'branch unprotected': event('protected_branch_removed', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: removed('branch', details),
  })),
  'tag protected': event('protected_tag_created', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: added('tag', details),
  })),
  'tag unprotected': event('protected_tag_removed', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: removed('tag', details),
  })),
}
