import { type AuditedFacts, type AuditTarget, eventForEach, says } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** A project or group whose jobs are let in. */
interface LetIn {
  readonly kind: 'Project' | 'Group'
  readonly id: number
  readonly path: string
}

export const jobTokenFacts = {
  'job token scope changed': fact<{ readonly enabled: boolean }>(),
  'job token scope extended': fact<LetIn>(),
  'job token scope reduced': fact<LetIn>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof jobTokenFacts> {}
}

const nameOf = (kind: LetIn['kind'], what: 'added' | 'removed') =>
  `secure_ci_job_token_${kind.toLowerCase()}_${what}`
const targetOf = ({ kind, id, path }: LetIn): AuditTarget => ({ type: kind, id, name: path })

export const auditedJobTokens: AuditedFacts = {
  'job token scope changed': eventForEach(
    ['secure_ci_job_token_inbound_enabled', 'secure_ci_job_token_inbound_disabled'],
    ({ details: { enabled } }) => [
      {
        event: `secure_ci_job_token_inbound_${enabled ? 'enabled' : 'disabled'}`,
        ...says(`The allow-list of job tokens ${enabled ? 'counts' : 'no longer counts'}`),
      },
    ],
  ),
  'job token scope extended': eventForEach(
    [nameOf('Project', 'added'), nameOf('Group', 'added')],
    ({ details }) => [
      {
        event: nameOf(details.kind, 'added'),
        target: targetOf(details),
        details: { add: 'job_token_scope' },
      },
    ],
  ),
  'job token scope reduced': eventForEach(
    [nameOf('Project', 'removed'), nameOf('Group', 'removed')],
    ({ details }) => [
      {
        event: nameOf(details.kind, 'removed'),
        target: targetOf(details),
        details: { remove: 'job_token_scope' },
      },
    ],
  ),
}
