import type { Caller } from '#planning/noteables/containers.ts'
import { shortened } from '#planning/quick-actions/names.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import {
  type ActionTable,
  done,
  type CommandOutcome,
  commandFailed,
} from '#planning/quick-actions/quick-action.ts'
import type { MergeRequestDraft } from './commanded.ts'
import { type Branches, compareBranches, type Comparison } from './branches.ts'
import { closedByCommits } from './issues/commit-closings.ts'
import { findMergeRequest, type MergeRequestRow } from './queries.ts'

/** A branch into which a command sends a merge request, and what the merge request changes there. */
export interface NewTarget {
  readonly branch: string
  readonly found: Comparison | 'no source' | 'no target'
  /** The issues that the commits close which it brings there. */
  readonly closes: readonly number[]
}

const target_branch = {
  takes: 'stable',
  does: 'Changes the branch that gets the changes.',
  changes: 'target_branch',
} as const

/** The command that needs Git: {@link targetActionOn} says what it does. */
export const targetAction: ActionTable = {
  target_branch: { ...target_branch, run: () => commandFailed('This is no merge request.') },
}

/** The branch that the last of some commands names. */
function branchIn(commands: readonly Command[]): string | undefined {
  const last = commands.findLast(({ name }) => name === 'target_branch')
  return last?.args === '' ? undefined : last?.args
}

/** Compares the branches of a merge request as they will be. No transaction is open. @returns undefined when no command names a branch */
export async function newTarget(
  caller: Caller,
  iid: number,
  commands: readonly Command[],
): Promise<NewTarget | undefined> {
  const branch = branchIn(commands)
  if (branch === undefined) return undefined
  const row = await findMergeRequest(caller.server.db, caller.viewer, caller.project(), iid)
  const { source_project_id: project, source_branch, project_id } = row
  if (project === null || row.state !== 'opened') return undefined
  const source = { project, branch: source_branch }
  return targetOf(caller, { source, target: { project: project_id, branch } })
}

/** The same for a merge request that is yet to be opened. */
export async function firstTarget(
  caller: Caller,
  { source, target: { project } }: Branches,
  commands: readonly Command[],
): Promise<NewTarget | undefined> {
  const branch = branchIn(commands)
  return branch === undefined ? undefined : targetOf(caller, { source, target: { project, branch } })
}

async function targetOf(caller: Caller, branches: Branches): Promise<NewTarget> {
  const found = await compareBranches(caller.server.services.repositories, branches)
  const closes = typeof found === 'object' ? await closedByCommits(caller, found) : []
  return { branch: branches.target.branch, found, closes }
}

/** The command on a merge request, which is locked. */
export const targetActionOn = (
  row: MergeRequestRow,
  target: NewTarget | undefined,
): ActionTable<MergeRequestDraft> => ({
  target_branch: { ...target_branch, run: (_, args) => retarget(row, args, target) },
})

function retarget(
  row: MergeRequestRow,
  branch: string,
  target: NewTarget | undefined,
): CommandOutcome<MergeRequestDraft> {
  if (branch === '') return commandFailed('/target_branch needs a branch.')
  if (row.state !== 'opened') return commandFailed('This merge request is not open.')
  if (row.source_project_id === null) return commandFailed('The source project was deleted.')
  if (branch === row.target_branch) return commandFailed(`The target branch is ${shortened(branch)} already.`)
  if (branch === row.source_branch && row.source_project_id === row.project_id)
    return commandFailed('The target branch cannot be the source branch.')
  if (target?.branch !== branch) return commandFailed('Only the last /target_branch counts.')
  if (target.found === 'no target') return commandFailed(`There is no branch ${shortened(branch)}.`)
  if (target.found === 'no source') return commandFailed('The source branch was deleted.')
  return done<MergeRequestDraft>(`Set the target branch to ${shortened(branch)}.`, { targetBranch: branch })
}
