import { keyEvents, userEvents } from './accounts.ts'
import { deploymentEvents } from './deployments.ts'
import { emojiEvents } from './emoji.ts'
import { issueEvents } from './issues.ts'
import type { EventKind } from './kind.ts'
import { memberEvents } from './members.ts'
import { mergeRequestEvents } from './merge-requests.ts'
import { milestoneEvents } from './milestones.ts'
import { noteEvents } from './notes.ts'
import { groupEvents, projectEvents } from './places.ts'
import { pushEvents } from './pushes.ts'
import { tokenEvents } from './tokens.ts'
import { wikiPageEvents } from './wiki-pages.ts'

/** All that hooks are told of. A new kind is a file here, and a line. */
export const eventKinds: readonly EventKind[] = [
  issueEvents,
  mergeRequestEvents,
  noteEvents,
  pushEvents,
  wikiPageEvents,
  emojiEvents,
  milestoneEvents,
  deploymentEvents,
  memberEvents,
  projectEvents,
  groupEvents,
  userEvents,
  keyEvents,
  tokenEvents,
]

/** The kind that makes events of facts of that name. */
export const kindOf: ReadonlyMap<string, EventKind> = new Map(
  eventKinds.flatMap((kind) => kind.facts.map((name) => [name, kind] as const)),
)
