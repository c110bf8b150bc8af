import { fact, type DetailsOf, type Nothing } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget, says } from '#platform/facts/audited.ts'

/** The license that the event is about. */
interface LicenseDetails {
  readonly plan: string
  readonly starts_at: string
  readonly expires_at: string
  readonly company: string
}

export const licenseFacts = {
  'license added': fact<LicenseDetails>(),
  /** The instance signed it for itself. It is added by that. */
  'license issued': fact<LicenseDetails>(),
  'license deleted': fact<LicenseDetails>(),
  'license usage exported': fact<Nothing>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof licenseFacts> {}
}

export const auditedLicense: AuditedFacts = {
  'license added': event(
    'license_added',
    ({ target, details: { company, plan, starts_at, expires_at } }) => ({
      ...namedTarget(target, company),
      details: { add: 'license', custom_message: `${plan}, ${starts_at} to ${expires_at}` },
    }),
  ),
  'license issued': event(
    'license_issued',
    ({ target, details: { company, plan, starts_at, expires_at } }) => ({
      ...namedTarget(target, company),
      ...says(`Issued a license: ${plan}, ${starts_at} to ${expires_at}`),
    }),
  ),
  'license deleted': event('license_deleted', ({ target, details: { company } }) => ({
    ...namedTarget(target, company),
    details: { remove: 'license' },
  })),
  'license usage exported': event('license_usage_exported', () => says('Exported license usage')),
}
