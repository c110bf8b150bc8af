import type { Feature } from '#platform/feature.ts'
import { afterMoves } from '#identity/namespaces/extension-points.ts'
import { boardAbilities } from './abilities.ts'
import { boardFacts } from './facts.ts'
import { boardListRoutes } from './list-routes.ts'
import { rehomeBoards } from './rehome-boards.ts'
import { boardRoutes } from './routes.ts'

/** Boards of projects and groups, which show their issues in lists. */
export const boards: Feature = {
  areas: [
    {
      name: 'Boards',
      about: 'Boards of projects and groups, which show issues in lists.',
      segments: ['boards'],
    },
  ],
  routes: [boardRoutes, boardListRoutes],
  abilities: boardAbilities,
  unique: {
    board_lists_label_key: { attribute: 'label_id' },
    board_lists_assignee_key: { attribute: 'assignee_id' },
    board_lists_milestone_key: { attribute: 'milestone_id' },
  },
  facts: boardFacts,
  // Behind that of issues, which gives projects copies of labels and milestones.
  extensions: [afterMoves.with(rehomeBoards)],
}
