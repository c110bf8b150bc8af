import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { CommandsResult } from '#planning/noteables/kind.ts'
import { changesBetween, type Draft, type ItemReference } from './draft.ts'
import type { CommandsChanges } from './entity.ts'
import { lookUpCommandNames } from './look-up.ts'
import type { Command } from './parse-quick-actions.ts'
import { type ActionTable, type Role, type Known, type QuickAction, commandFailed } from './quick-action.ts'
import { MAX_COMMANDS, type Step, stepsOf } from './steps.ts'

/** The noteable before the first command. */
interface Commanded<D extends Draft> {
  /** What it is called in sentences: `issue`. */
  readonly noun: string
  /** The project of an issue. */
  readonly project?: ItemReference
  readonly actions: ActionTable<D>
  readonly before: D
  /** What differs between two drafts in the fields that the kind alone has. */
  readonly ownChanges?: (before: D, after: D) => CommandsChanges
  /** Whether the transaction's author may change this. */
  readonly may: (change: NonNullable<QuickAction['changes']>) => boolean
  /** Why an epic, an issue or a project cannot become this to the noteable, as a sentence; undefined when it can. Only for commands that name such. */
  readonly obstacleTo?: (named: ItemReference, role: Role) => Promise<string | undefined>
  readonly write: (changes: CommandsChanges) => Promise<void>
}

/**
 * Applies the commands of a note one after the other, as the transaction's author. A command that they may not use, or
 * that is impossible, does nothing and says so.
 * @param commanded is locked.
 */
export async function applyQuickActions<D extends Draft>(
  tx: Tx,
  authorized: { readonly container: TreePosition },
  viewer: Viewer,
  commands: readonly Command[],
  { noun, project, actions, before, ownChanges, may, obstacleTo, write }: Commanded<D>,
): Promise<CommandsResult> {
  const { author } = tx
  if (author === null) throw new Error('Quick actions need an author')
  const steps = stepsOf(
    actions,
    commands,
    author.username,
    ({ changes }) => changes === undefined || may(changes),
  )
  const known = await lookUpCommandNames(tx, authorized, viewer, steps)
  const around = { me: author.username, noun, project, today: viewer.today, known }
  const summary: string[] = []
  let draft = before
  let applied = false
  for (const step of steps) {
    const { action, args } = step
    const refusal = step.refusal ?? (await obstacleIn(step, known, obstacleTo))
    const { says, becomes } = refusal === undefined ? action.run(draft, args, around) : commandFailed(refusal)
    summary.push(says)
    draft = { ...draft, ...becomes }
    applied ||= becomes !== undefined
  }
  if (commands.length > MAX_COMMANDS) summary.push(`Only the first ${MAX_COMMANDS} commands were done.`)
  const changes = { ...changesBetween(before, draft), ...ownChanges?.(before, draft) }
  await write(changes)
  return { changes, summary, applied }
}

/** Why one of what a command names cannot become what the command wants. */
async function obstacleIn(
  { action: { names: kind, makes }, names }: Step,
  { epics, issues, projects }: Known,
  obstacleTo: Commanded<Draft>['obstacleTo'],
): Promise<string | undefined> {
  if (makes === undefined) return undefined
  const known = kind === 'issues' ? issues : kind === 'project' ? projects : epics
  // At most a few: a note names a bounded number of them.
  for (const name of names) {
    const named = known.get(name)
    const obstacle = named && (await obstacleTo?.(named, makes))
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}

/** Locks what commands name, before the noteable that they are about. */
export async function lockCommanded(
  tx: Tx,
  authorized: { readonly container: TreePosition },
  viewer: Viewer,
  actions: ActionTable,
  commands: readonly Command[],
): Promise<void> {
  const steps = stepsOf(actions, commands, tx.author?.username ?? '', () => true)
  // Keeps the project from being moved until the labels and milestones of the groups above it are assigned.
  if (steps.some(({ names }) => names.length > 0)) await lockParent(tx, authorized.container.namespace_id)
  const { people, labels, milestones, epics, issues } = await lookUpCommandNames(
    tx,
    authorized,
    viewer,
    steps,
  )
  const idsOf = (known: ReadonlyMap<string, { readonly id: number }>) =>
    [...known.values()].map(({ id }) => id)
  await lockReferencedRows(tx, {
    users: [...people.values()].flat().map(({ id }) => id),
    milestones: idsOf(milestones),
    labels: idsOf(labels),
    noteables: [...idsOf(epics), ...idsOf(issues)],
  })
}
