/** Values of the parameter `action`. */
export const actions = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const
export type Action = (typeof actions)[number]

/** Values of the parameter `target_type`. */
export const targetTypes = [
  'epic',
  'issue',
  'merge_request',
  'milestone',
  'note',
  'project',
  'snippet',
  'user',
] as const
export type TargetType = (typeof targetTypes)[number]

/** The parts of a project that events belong to. Whoever may read one of them reads its events. */
export const areas = [
  'project',
  'code',
  'issues',
  'merge_requests',
  'milestones',
  'snippets',
  'wiki',
] as const
export type Area = (typeof areas)[number]

/** A kind of event: what was done to what. */
export interface Kind {
  readonly area: Area
  readonly action: Action
  /** The value of `target_type` that finds it. */
  readonly filter: TargetType | null
  /** `target_type` in answers; null where they name no target. Of notes the row says it. */
  readonly target: string | null
  /** `action_name` in answers; of pushes what was pushed says it. */
  readonly shown: string
}

const kind = (
  area: Area,
  action: Action,
  filter: TargetType | null,
  target: string | null,
  shown: string,
): Kind => ({ area, action, filter, target, shown })

/** All kinds by the number that `events.kind` has, which never changes. */
export const kinds = {
  1: kind('project', 'created', 'project', null, 'created'),
  2: kind('project', 'joined', 'user', null, 'joined'),
  3: kind('project', 'left', 'user', null, 'left'),
  4: kind('project', 'expired', 'user', null, 'removed due to membership expiration from'),
  5: kind('code', 'pushed', null, null, 'pushed to'),
  6: kind('code', 'commented', 'note', 'Note', 'commented on'),
  10: kind('issues', 'created', 'issue', 'Issue', 'opened'),
  11: kind('issues', 'closed', 'issue', 'Issue', 'closed'),
  12: kind('issues', 'reopened', 'issue', 'Issue', 'opened'),
  13: kind('issues', 'commented', 'note', 'Note', 'commented on'),
  20: kind('merge_requests', 'created', 'merge_request', 'MergeRequest', 'opened'),
  21: kind('merge_requests', 'closed', 'merge_request', 'MergeRequest', 'closed'),
  22: kind('merge_requests', 'reopened', 'merge_request', 'MergeRequest', 'opened'),
  23: kind('merge_requests', 'merged', 'merge_request', 'MergeRequest', 'accepted'),
  24: kind('merge_requests', 'approved', 'merge_request', 'MergeRequest', 'approved'),
  25: kind('merge_requests', 'commented', 'note', 'Note', 'commented on'),
  30: kind('milestones', 'created', 'milestone', 'Milestone', 'opened'),
  31: kind('milestones', 'closed', 'milestone', 'Milestone', 'closed'),
  32: kind('milestones', 'reopened', 'milestone', 'Milestone', 'opened'),
  33: kind('milestones', 'destroyed', 'milestone', 'Milestone', 'destroyed'),
  40: kind('snippets', 'created', 'snippet', 'Snippet', 'opened'),
  41: kind('snippets', 'updated', 'snippet', 'Snippet', 'updated'),
  42: kind('snippets', 'commented', 'note', 'Note', 'commented on'),
  50: kind('wiki', 'created', null, 'WikiPage::Meta', 'created'),
  51: kind('wiki', 'updated', null, 'WikiPage::Meta', 'updated'),
  52: kind('wiki', 'destroyed', null, 'WikiPage::Meta', 'destroyed'),
  53: kind('wiki', 'commented', 'note', 'Note', 'commented on'),
} as const satisfies Readonly<Record<number, Kind>>

export type KindNumber = keyof typeof kinds

const all = new Map<number, Kind>(Object.entries(kinds).map(([number, one]) => [Number(number), one]))

/** The kind with a number. */
export function kindOf(number: number): Kind {
  const found = all.get(number)
  if (found === undefined) throw new Error(`There is no kind ${number} of events`)
  return found
}

/** The numbers of the kinds that pass. */
export const kindsWhere = (passes: (one: Kind) => boolean): number[] =>
  [...all].flatMap(([number, one]) => (passes(one) ? number : []))
