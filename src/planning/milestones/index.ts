import type { Feature } from '#platform/feature.ts'
import { milestoneAbilities } from './abilities.ts'
import { milestoneFacts } from './facts.ts'
import { milestoneIssueRoutes } from './issue-routes.ts'
import { milestoneRoutes } from './routes.ts'

/** Milestones of projects and groups. */
export const milestones: Feature = {
  areas: [{ name: 'Milestones', about: 'Milestones of projects and groups.', segments: ['milestones'] }],
  routes: [milestoneRoutes, milestoneIssueRoutes],
  abilities: milestoneAbilities,
  unique: { milestones_title_key: { attribute: 'title' } },
  facts: milestoneFacts,
}
