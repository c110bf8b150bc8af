import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { chooseSubscription } from '#planning/noteables/items/choose-subscription.ts'
import type { QuickActions } from '#planning/noteables/kind.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import { type Draft, type ItemReference, noAssignment, noChildren } from '#planning/quick-actions/draft.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { quickActionsOfEpics as actions } from '#planning/quick-actions/later-actions.ts'
import type { Role, QuickAction } from '#planning/quick-actions/quick-action.ts'
import { changeTodo } from '#planning/todos/change-todo.ts'
import { epicIdentity } from './identity.ts'
import { forConfidentiality, lockEpic, lockRows, type SingleEpicRow } from './queries.ts'
import { setParent } from './set-parent.ts'
import { findEpicById, lockLinkable, lockTree, mayLinkIn, obstacleTo } from './tree.ts'
import { toggleAwards } from '#planning/quick-actions/write-shared.ts'
import { updateEpic } from './update-epic.ts'

/** The effects of commands in the notes of an epic. */
export const epicQuickActions: QuickActions = {
  actions,

  async lockNamed(tx, caller, commands, key) {
    const authorized = caller.group()
    const { container } = authorized
    if (commands.some(({ name }) => reshapes(name))) {
      await lockParent(tx, container.namespace_id)
      await lockTree(tx, container)
    }
    await lockCommanded(tx, authorized, caller.viewer, actions, commands)
    const hides = commands.some(({ name }) => name === 'confidential')
    if (hides && key !== undefined) await lockRows(tx, Number(key), forConfidentiality(true))
  },

  async apply(tx, caller, key, commands) {
    const { author } = tx
    if (author === null) throw new Error('Quick actions need an author')
    const { viewer } = caller
    const authorized = caller.group()
    const epic = await lockEpic(tx, viewer, authorized, { id: Number(key) })
    const { changes, ...applied } = await applyQuickActions(tx, authorized, viewer, commands, {
      noun: 'epic',
      actions,
      before: draftOf(epic),
      may: (change) => mayChange(authorized, change),
      obstacleTo: (other, role) => obstacle(tx, viewer, epic, other, role),
      write: (changes) => write(tx, viewer, epic, author.id, changes),
    })
    const { epic_id, ...rest } = changes
    return { ...applied, changes: epic_id === undefined ? rest : { ...rest, parent_id: epic_id } }
  },
}

/** The changes of what is above what. */
const reshaping: ReadonlySet<string> = new Set(['parent_id', 'add_child_epic_ids', 'remove_child_epic_ids'])

const reshapes = (name: string): boolean => reshaping.has(actions[name]?.changes ?? '')

function mayChange({ can }: AuthorizedGroup, change: NonNullable<QuickAction['changes']>): boolean {
  if (change === 'subscribed') return can('subscribe_epic')
  if (change === 'emoji_award') return can('award_epic_emoji')
  return can(reshaping.has(change) ? 'link_epic' : 'admin_epic')
}

/** The epic before the first command. */
const draftOf = (epic: SingleEpicRow): Draft => ({
  ...noAssignment,
  ...noChildren,
  title: epic.title,
  state: epic.state,
  labels: epic.labels,
  labelsReplaced: false,
  confidential: epic.confidential,
  subscribed: epic.subscribed,
  epicId: epic.parent?.id ?? null,
})

/** Why another epic cannot become this to an epic, as a sentence. */
async function obstacle(
  tx: Tx,
  viewer: Viewer,
  epic: SingleEpicRow,
  { id, reference }: ItemReference,
  role: Role,
): Promise<string | undefined> {
  const other = await findEpicById(tx, viewer, id)
  if (!(await mayLinkIn(tx, viewer, other))) return `You may not link ${reference}.`
  if (role === 'no child')
    return other.own_parent_id === epic.id ? undefined : `${reference} is not a child epic of this one.`
  const [parent, child] = role === 'child' ? [epic, other] : [other, epic]
  const because = await obstacleTo(tx, parent, child)
  return because === undefined ? undefined : `${reference} cannot be added: ${because}.`
}

async function write(
  tx: Tx,
  viewer: Viewer,
  epic: SingleEpicRow,
  userId: number,
  changes: CommandsChanges,
): Promise<void> {
  const {
    subscription_event,
    todo_event,
    emoji_award = [],
    epic_id,
    add_child_epic_ids = [],
    remove_child_epic_ids = [],
    ...own
  } = changes
  await updateEpic(tx, epic, own)
  const { confidential = epic.confidential } = own
  const now = { ...epic, confidential }
  if (epic_id !== undefined)
    await setParent(tx, now, epic_id === null ? null : await findEpicById(tx, viewer, epic_id))
  // At most a few: a note names a bounded number of epics.
  for (const id of remove_child_epic_ids) await setParent(tx, await lockLinkable(tx, viewer, id), null)
  for (const id of add_child_epic_ids) await setParent(tx, await lockLinkable(tx, viewer, id), now)
  const awarded = { id: epic.id, namespace_id: epic.group_id }
  await toggleAwards(tx, { ...epicIdentity, countsVotes: true }, awarded, emoji_award)
  await changeTodo(tx, epic.id, userId, todo_event)
  if (subscription_event !== undefined)
    await chooseSubscription(tx, epic, userId, subscription_event === 'subscribe')
}
