import {
  type ChosenEvents,
  DEFAULT_LEVEL,
  isChosen,
  type NotificationLevel,
} from '#activity/notification-settings/events.ts'
import type { Notice } from './notice.ts'

/** How somebody comes into question. */
export type Tag =
  /** They wrote it, work on it, commented on it or are mentioned in it. */
  | 'participating'
  /** The text that came with it names them. */
  | 'mentioned'
  /** They subscribed to it. */
  | 'subscribed'
  /** They subscribed to one of its labels. */
  | 'label'
  /** They watch the place, or chose events there. */
  | 'listening'
  /** They are a member of the place. */
  | 'member'
  /** They may approve it. */
  | 'approver'
  | 'assigned'
  | 'review_requested'
  | 'unassigned'
  /** It is of themselves. */
  | 'own'

/** Somebody who may be told, as far as it does not depend on rights. */
export interface Candidate {
  readonly id: number
  readonly tags: readonly Tag[]
  /** The nearest level that is not `global`; null where nobody chose one. */
  readonly level: NotificationLevel | null
  readonly events: ChosenEvents | null
  /** What they chose for the noteable: true, false or nothing. */
  readonly subscribed: boolean | null
  /** Whether they want to be told of what they do themselves. */
  readonly own_activity: boolean
}

/** Why somebody is told: `X-GitLab-NotificationReason`. */
export type Reason =
  | 'mentioned'
  | 'assigned'
  | 'review_requested'
  | 'unassigned'
  | 'subscribed'
  | 'participating'
  | 'watching'
  | 'custom'
  | 'own_activity'

/**
 * Why somebody gets a mail; undefined when they get none. Rights are asked elsewhere.
 * @param actor the id of who did it; null for the instance itself.
 */
export function reasonFor(
  { id, tags, level: chosen, events, subscribed, own_activity }: Candidate,
  notice: Pick<Notice, 'event' | 'watched' | 'ofOneself' | 'mentioned'>,
  actor: number | null,
): Reason | undefined {
  const own = id === actor
  if (own && !own_activity && notice.ofOneself !== true) return undefined
  const level = chosen === null || chosen === 'global' ? DEFAULT_LEVEL : chosen
  const has = (tag: Tag) => tags.includes(tag)
  const because = (reason: Reason) => (own ? 'own_activity' : reason)
  if (level !== 'disabled' && has('mentioned')) return because('mentioned')
  if (subscribed === false) return undefined
  // Who asked for this very thing gets it even where everything else is off.
  if (has('subscribed') || has('label')) return because('subscribed')
  if (level === 'disabled') return undefined
  for (const tag of ['assigned', 'review_requested', 'unassigned'] as const) if (has(tag)) return because(tag)
  if (level === 'mention') return undefined
  if (has('participating')) return because('participating')
  if (notice.ofOneself === true && level === 'participating') return because('participating')
  if (level === 'watch' && notice.watched) return because('watching')
  return level === 'custom' && isWanted(events ?? {}, notice, has('approver')) ? because('custom') : undefined
}

const isWanted = (events: ChosenEvents, { event }: Pick<Notice, 'event'>, isApprover: boolean): boolean =>
  (event !== null && isChosen(events, event)) || (isApprover && isChosen(events, 'approver'))
