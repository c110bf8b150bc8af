import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { countBillable } from './count-billable-users.ts'
import { auditedLicense, licenseFacts } from './facts.ts'
import { licenseRoutes } from './routes.ts'

/** Licenses of the instance. */
export const licenses: Feature = {
  areas: [{ name: 'Licenses', about: 'Licenses of the instance.', segments: ['license', 'licenses'] }],
  routes: [licenseRoutes],
  facts: licenseFacts,
  audited: auditedLicense,
  tasks: [countBillable],
  schedule: [daily('12:00', countBillable, {})],
}
