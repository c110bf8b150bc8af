import { branchOf } from '#code/git/names.ts'
import type { ReferenceRule } from '#code/repositories/rules.ts'

const REFUSAL = 'you may only push to the source branches of open merge requests that allow it'

/** Whoever may push to some branches alone creates and deletes none, and changes no other reference. */
export const collaborationRule: ReferenceRule = {
  refusals: async (changes, { row, changer: { accessContext } }) => {
    const { branches } = accessContext
    if (row.kind !== 'project' || branches === undefined) return new Map()
    const others = changes.filter(
      ({ ref, action }) => action !== 'changed' || !branches.includes(branchOf(ref) ?? ''),
    )
    return new Map(others.map(({ ref }) => [ref, REFUSAL]))
  },
}
