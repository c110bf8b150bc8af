import type { ProjectDoor } from '#platform/access/doors.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { lockReferred } from '#planning/issues/lock-referred.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { mayChange } from '#planning/issues/policy.ts'
import type { SingleIssueRow } from '#planning/issues/queries.ts'
import { chooseSubscription } from '#planning/issues/subscribe-issue.ts'
import { updateIssue } from '#planning/issues/update-issue.ts'
import { changesBetween, draftOf } from './draft.ts'
import type { CommandsChanges } from './entity.ts'
import { lookUp } from './look-up.ts'
import type { Command } from './parse-quick-actions.ts'
import { type QuickAction, refused } from './quick-action.ts'
import { MAX_COMMANDS, stepsOf } from './steps.ts'

/** What came of the commands of a note. */
export interface AppliedQuickActions {
  /** `commands_changes` on the wire. */
  readonly changes: CommandsChanges
  /** A sentence for each command, in their order. */
  readonly summary: readonly string[]
  /** Whether one of them at least could be done, also where everything was so already. */
  readonly applied: boolean
}

/**
 * Does what the commands of a note ask for, one after the other, as the transaction's author. A command that they may
 * not use, or that cannot be done, does nothing and says so.
 * @param issue as `lockIssue` found it.
 */
export async function applyQuickActions(
  tx: Tx,
  door: ProjectDoor,
  viewer: Viewer,
  issue: SingleIssueRow,
  commands: readonly Command[],
): Promise<AppliedQuickActions> {
  const { author } = tx
  if (author === null) throw new Error('Quick actions need an author')
  const may = ({ changes }: QuickAction) =>
    changes === undefined ||
    (changes === 'subscribed' ? door.can('subscribe_issue') : mayChange(door, issue, author, [changes]))
  const steps = stepsOf(commands, author.username, may)
  const known = await lookUp(tx, door, viewer, steps)
  const around = { me: author.username, today: viewer.today, known }
  const before = draftOf(issue)
  const summary: string[] = []
  let draft = before
  let applied = false
  for (const { action, args, refusal } of steps) {
    const { says, becomes } = refusal === undefined ? action.run(draft, args, around) : refused(refusal)
    summary.push(says)
    draft = { ...draft, ...becomes }
    applied ||= becomes !== undefined
  }
  if (commands.length > MAX_COMMANDS) summary.push(`Only the first ${MAX_COMMANDS} commands were done.`)
  const changes = changesBetween(before, draft)
  await write(tx, issue, author.id, changes)
  return { changes, summary, applied }
}

/** Locks what commands name, before the issue that they are about. */
export async function lockCommanded(
  tx: Tx,
  door: ProjectDoor,
  viewer: Viewer,
  commands: readonly Command[],
): Promise<void> {
  const steps = stepsOf(commands, tx.author?.username ?? '', () => true)
  // The project stays where it is until what the groups above it lend is given to the issue.
  if (steps.some(({ names }) => names.length > 0)) await lockParent(tx, door.place.namespace_id)
  const { people, labels, milestones } = await lookUp(tx, door, viewer, steps)
  const idsOf = (known: ReadonlyMap<string, { readonly id: number }>) =>
    [...known.values()].map(({ id }) => id)
  await lockReferred(tx, { users: idsOf(people), milestones: idsOf(milestones), labels: idsOf(labels) })
}

async function write(tx: Tx, issue: SingleIssueRow, userId: number, changes: CommandsChanges): Promise<void> {
  const { subscription_event, ...ofIssue } = changes
  if (Object.keys(ofIssue).length > 0) await updateIssue(tx, issue, ofIssue)
  if (subscription_event !== undefined)
    await chooseSubscription(tx, issue, userId, subscription_event === 'subscribe')
}
