import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { afterMoves } from '#identity/namespaces/extension-points.ts'
import { associationCounts, userCounts } from '#identity/users/extension-points.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { issueAbilities } from './abilities.ts'
import { assignedIssuesCount, authoredIssuesCount } from './count-issues.ts'
import { auditedIssue, issueFacts } from './facts.ts'
import { foldOpenCounts } from './fold-open-counts.ts'
import { issueLinkRoutes } from './links/routes.ts'
import { issueListRoutes } from './list-routes.ts'
import { issueMoveRoutes } from './move/routes.ts'
import { issueOrderRoutes } from './order/routes.ts'
import { issueKind } from './kind.ts'
import { issuesOfProjects } from './project-extension.ts'
import { rehomeIssues } from './rehome-issues.ts'
import { issueRoutes } from './routes.ts'
import { issueSettings } from './settings.ts'
import { issueUserAgentRoute } from './user-agent-route.ts'

/** Issues of projects. */
export const issues: Feature = {
  areas: [{ name: 'Issues', about: 'Issues of projects.', segments: ['issues', 'issues_statistics'] }],
  routes: [
    issueRoutes,
    issueListRoutes,
    issueLinkRoutes,
    issueOrderRoutes,
    issueMoveRoutes,
    issueUserAgentRoute,
    ...issueKind.routes,
  ],
  abilities: issueAbilities,
  unique: {
    issues_iid_key: { attribute: 'iid', conflict: knownTexts['issue-exists'] },
    issue_links_pair_key: { attribute: 'target', conflict: knownTexts['issues-linked'] },
  },
  facts: issueFacts,
  audited: auditedIssue,
  settings: issueSettings,
  tasks: [foldOpenCounts],
  schedule: [scheduled('* * * * *', foldOpenCounts, {})],
  extensions: [
    ...issueKind.extensions,
    afterMoves.with(rehomeIssues),
    projectExtensions.with(issuesOfProjects),
    userCounts.with(assignedIssuesCount),
    associationCounts.with(authoredIssuesCount),
  ],
}
