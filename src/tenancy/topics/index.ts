import type { Feature } from '#platform/feature.ts'
import { subtreeChanges } from '#identity/namespaces/extension-points.ts'
import { recountTopicsBelow } from './counters.ts'
import { auditedTopic, topicFacts } from './facts.ts'
import { topicRoutes } from './routes.ts'

/** The subjects of projects. */
export const topics: Feature = {
  areas: [{ name: 'Topics', about: 'Subjects that projects are about.', segments: ['topics'], beta: true }],
  routes: [topicRoutes],
  unique: { topics_name_key: { attribute: 'name' } },
  facts: topicFacts,
  audited: auditedTopic,
  extensions: [subtreeChanges.with(recountTopicsBelow)],
}
