import { afterMoves } from '#identity/namespaces/extension-points.ts'
import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { markRoute } from '#planning/todos/mark-route.ts'
import { todoTargets } from '#planning/todos/targets.ts'
import { epicAbilities } from './abilities.ts'
import { childEpicRoutes } from './child-routes.ts'
import { auditedEpic, epicFacts } from './facts.ts'
import { foldDateChanges } from './fold-date-changes.ts'
import { epicIssueRoutes } from './issue-routes.ts'
import { epicLinkRoutes } from './link-routes.ts'
import { epicNoteable } from './noteable.ts'
import { rehomeEpics } from './rehome-epics.ts'
import { epicRoutes } from './routes.ts'
import { epicTodos, markableEpic } from './todo-target.ts'

/** Epics of groups. */
export const epics: Feature = {
  areas: [
    {
      name: 'Epics',
      about: 'Epics of groups, which span issues and other epics. They need Premium, and are deprecated.',
      segments: ['epics'],
    },
  ],
  routes: [epicRoutes, childEpicRoutes, epicIssueRoutes, epicLinkRoutes, markRoute(markableEpic)],
  abilities: epicAbilities,
  facts: epicFacts,
  audited: auditedEpic,
  tasks: [foldDateChanges],
  schedule: [scheduled('* * * * *', foldDateChanges, {})],
  extensions: [noteable(epicNoteable), todoTargets.with(epicTodos), afterMoves.with(rehomeEpics)],
}
