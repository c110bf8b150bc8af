import type { Feature } from '#platform/feature.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { markRoute } from '#planning/todos/mark-route.ts'
import { todoTargets } from '#planning/todos/targets.ts'
import { alertAbilities } from './abilities.ts'
import { alertFacts } from './facts.ts'
import { closeIncident, createIncident } from './incidents.ts'
import { metricImageRoutes } from './metric-images.ts'
import { alertNoteable } from './noteable.ts'
import { alertRoutes } from './routes.ts'
import { alertTodos, markableAlert } from './todo-target.ts'

/** What monitoring tools have reported, and what people make of it. */
export const alerts: Feature = {
  routes: [alertRoutes, metricImageRoutes, markRoute(markableAlert)],
  abilities: alertAbilities,
  unique: {
    alerts_open_key: {
      attribute: 'status',
      conflict: '409 Conflict - the alert was reported again meanwhile',
    },
  },
  facts: alertFacts,
  tasks: [createIncident, closeIncident],
  extensions: [noteable(alertNoteable), todoTargets.with(alertTodos)],
}
