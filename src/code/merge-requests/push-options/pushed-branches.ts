import { branchOf, NO_OBJECT } from '#code/git/names.ts'
import type { FinishedPush } from '#code/git-transport/after-push.ts'

/** The branches that a push has created or changed. */
export const pushedBranches = ({ changes }: Pick<FinishedPush, 'changes'>): readonly string[] =>
  changes.flatMap(({ ref, before, after }) => {
    const branch = branchOf(ref)
    return branch === undefined || after === NO_OBJECT || before === after ? [] : [branch]
  })
