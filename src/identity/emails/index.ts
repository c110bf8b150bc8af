import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { cleanUpLinks } from './clean-up.ts'
import { confirmationPages } from './confirmation-pages.ts'
import { auditedEmail, emailFacts } from './facts.ts'
import { resetPages } from './reset-pages.ts'
import { ownEmailRoutes, userEmailRoutes } from './routes.ts'
import { sendReset } from './send-reset.ts'

/** The e-mail addresses of people, and what is sent there about their accounts. */
export const emails: Feature = {
  routes: [ownEmailRoutes, userEmailRoutes],
  pages: [confirmationPages, resetPages],
  facts: emailFacts,
  audited: auditedEmail,
  tasks: [sendReset, cleanUpLinks],
  schedule: [daily('03:25', cleanUpLinks, {})],
}
