import type { Feature } from '#platform/feature.ts'
import { awardEmoji } from './award-emoji/index.ts'
import { boards } from './boards/index.ts'
import { discussions } from './discussions/index.ts'
import { epics } from './epics/index.ts'
import { issues } from './issues/index.ts'
import { labels } from './labels/index.ts'
import { markup } from './markup/index.ts'
import { milestones } from './milestones/index.ts'
import { noteables } from './noteables/index.ts'
import { notes } from './notes/index.ts'
import { resourceEvents } from './resource-events/index.ts'
import { spam } from './spam/index.ts'
import { todos } from './todos/index.ts'
import { uploads } from './uploads/index.ts'

/** Issues, milestones and labels, and the discussions about them. */
export const planning: readonly Feature[] = [
  labels,
  milestones,
  issues,
  boards,
  epics,
  noteables,
  notes,
  discussions,
  resourceEvents,
  awardEmoji,
  todos,
  spam,
  markup,
  uploads,
]
