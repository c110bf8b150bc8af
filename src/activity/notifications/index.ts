import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { findDueIssues } from './due.ts'
import { awaitTelling } from './event.ts'
import { notificationFacts } from './facts.ts'
import { notificationRules } from './notice.ts'
import { alertRules } from './rules/alerts.ts'
import { errorRules } from './rules/errors.ts'
import { epicRules } from './rules/epics.ts'
import { issueRules } from './rules/issues.ts'
import { mergeRequestRules } from './rules/merge-requests.ts'
import { noteRules } from './rules/notes.ts'
import { projectRules } from './rules/projects.ts'
import { tellPeople } from './tell.ts'
import { unsubscribePages } from './unsubscribe-pages.ts'

/** Tells people of what happens: by mail, and on their to-do lists. */
export const notifications: Feature = {
  pages: [unsubscribePages],
  facts: notificationFacts,
  consumers: [awaitTelling],
  tasks: [tellPeople, findDueIssues],
  schedule: [daily('00:50', findDueIssues, {})],
  extensions: [
    notificationRules.with(issueRules),
    notificationRules.with(mergeRequestRules),
    notificationRules.with(epicRules),
    notificationRules.with(noteRules),
    notificationRules.with(projectRules),
    notificationRules.with(alertRules),
    notificationRules.with(errorRules),
  ],
}
