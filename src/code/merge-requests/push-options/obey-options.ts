import type { GitPerson } from '#code/git-transport/access.ts'
import type { AfterPush, FinishedPush } from '#code/git-transport/after-push.ts'
import { Refusal } from '#platform/refusals.ts'
import { askedOptions, type AskedOptions } from './asked-options.ts'
import { changeAsAsked, createAsAsked, existingOne } from './merge-request-of.ts'
import { PushedBranch } from './pushed-branch.ts'
import { pushedBranches } from './pushed-branches.ts'

/** The most branches of a push whose merge requests its options are about. */
const MOST = 10

/** Opens or changes the merge request of each branch, as the options of the push ask for. */
export const obeyOptions: AfterPush = async (push) => {
  const asked = askedOptions(push.options)
  const branches = pushedBranches(push)
  const { owner, person } = push.access
  if (asked === undefined || owner.kind !== 'project' || branches.length === 0) return []
  if (person === undefined)
    return [remark('options for merge requests take a person, and this credential belongs to none.')]
  if (branches.length > MOST)
    return [
      remark(
        `options for merge requests are for ${MOST} branches at most, and ${branches.length} were pushed.`,
      ),
    ]
  const lines: string[] = []
  for (const branch of branches) {
    for (const line of await obey(push, person, { project: owner.project, branch }, asked))
      lines.push(remark(line))
  }
  return lines
}

const remark = (text: string): string => `Forgelet: ${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** @returns what could not be done, in sentences */
async function obey(
  push: FinishedPush,
  person: GitPerson,
  source: { readonly project: number; readonly branch: string },
  asked: AskedOptions,
): Promise<readonly string[]> {
  const remarks: string[] = []
  try {
    const pushed = await PushedBranch.of(push, person, source, asked)
    const existing = await existingOne(pushed)
    if (existing !== undefined) await changeAsAsked(pushed, existing, remarks)
    else if (asked.create) await createAsAsked(pushed, remarks)
    else
      remarks.push(
        `there is no open merge request of ${source.branch}: add -o merge_request.create to open one.`,
      )
  } catch (error) {
    const isRefused = error instanceof Refusal
    if (!isRefused) push.log(error)
    const because = isRefused ? saidBy(error) : 'the server failed'
    remarks.push(`the options for the merge request of ${source.branch} came to nothing: ${because}`)
  }
  return remarks
}

const saidBy = ({ says, message }: Refusal): string => (Array.isArray(says) ? says.join(', ') : message)
