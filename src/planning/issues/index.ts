import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { afterMoves } from '#identity/namespaces/extension-points.ts'
import { associationCounts, userCounts } from '#identity/users/extension-points.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { issueAbilities } from './abilities.ts'
import { assignedIssuesCount, authoredIssuesCount } from './count-issues.ts'
import { auditedIssue, issueFacts } from './facts.ts'
import { foldOpenCounts } from './fold-open-counts.ts'
import { issueLinkRoutes } from './links/routes.ts'
import { issueListRoutes } from './list-routes.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { issueNoteable } from './noteable.ts'
import { issueMoveRoutes } from './move/routes.ts'
import { issueOrderRoutes } from './order/routes.ts'
import { participantRoutes } from '#planning/noteables/items/list-participants.ts'
import { subscriptionRoutes } from '#planning/noteables/items/subscribing.ts'
import { timeRoutes } from '#planning/time/time-tracking.ts'
import { issueItems } from './item-kind.ts'
import { issuesOfProjects } from './project-extension.ts'
import { rehomeIssues } from './rehome-issues.ts'
import { issueRoutes } from './routes.ts'
import { issueSettings } from './settings.ts'
import { markRoute } from '#planning/todos/mark-route.ts'
import { todoTargets } from '#planning/todos/targets.ts'
import { issueTodos, markableIssue } from './todo-target.ts'
import { issueUserAgentRoute } from './user-agent-route.ts'

/** Issues of projects. */
export const issues: Feature = {
  areas: [{ name: 'Issues', about: 'Issues of projects.', segments: ['issues', 'issues_statistics'] }],
  routes: [
    issueRoutes,
    issueListRoutes,
    issueLinkRoutes,
    timeRoutes(issueItems),
    issueOrderRoutes,
    issueMoveRoutes,
    participantRoutes(issueItems),
    subscriptionRoutes(issueItems),
    issueUserAgentRoute,
    markRoute(markableIssue),
  ],
  abilities: issueAbilities,
  unique: {
    issues_iid_key: { attribute: 'iid', conflict: 'Duplicated issue' },
    issue_links_pair_key: { attribute: 'target', conflict: 'Issue(s) already assigned' },
  },
  facts: issueFacts,
  audited: auditedIssue,
  settings: issueSettings,
  tasks: [foldOpenCounts],
  schedule: [scheduled('* * * * *', foldOpenCounts, {})],
  extensions: [
    noteable(issueNoteable),
    todoTargets.with(issueTodos),
    afterMoves.with(rehomeIssues),
    projectExtensions.with(issuesOfProjects),
    userCounts.with(assignedIssuesCount),
    associationCounts.with(authoredIssuesCount),
  ],
}
