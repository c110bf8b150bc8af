import { afterMoves } from '#identity/namespaces/extension-points.ts'
import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { epicAbilities } from './abilities.ts'
import { childEpicRoutes } from './child-routes.ts'
import { auditedEpic, epicFacts } from './facts.ts'
import { foldDateChanges } from './fold-date-changes.ts'
import { epicIssueRoutes } from './issue-routes.ts'
import { epicLinkRoutes } from './link-routes.ts'
import { epicKind } from './kind.ts'
import { rehomeEpics } from './rehome-epics.ts'
import { epicRoutes } from './routes.ts'

/** Epics of groups. */
export const epics: Feature = {
  areas: [
    {
      name: 'Epics',
      about: 'Epics of groups, which span issues and other epics. They need Premium, and are deprecated.',
      segments: ['epics'],
    },
  ],
  routes: [epicRoutes, childEpicRoutes, epicIssueRoutes, epicLinkRoutes, ...epicKind.routes],
  abilities: epicAbilities,
  facts: epicFacts,
  audited: auditedEpic,
  tasks: [foldDateChanges],
  schedule: [scheduled('* * * * *', foldDateChanges, {})],
  extensions: [...epicKind.extensions, afterMoves.with(rehomeEpics)],
}
