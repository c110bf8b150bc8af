import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { auditedSpam, spamFacts } from './facts.ts'
import { forgetSpam } from './forget-spam.ts'
import { spamLogRoutes } from './routes.ts'
import { spamSettings } from './settings.ts'

/** Checks of what people write, by services that know spam. */
export const spam: Feature = {
  areas: [{ name: 'Spam', about: 'What was taken for spam.', segments: ['spam_logs'] }],
  routes: [spamLogRoutes],
  facts: spamFacts,
  audited: auditedSpam,
  settings: spamSettings,
  tasks: [forgetSpam],
  schedule: [daily('03:45', forgetSpam, {})],
}
