import { defined } from '#platform/defined.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'

/** What a push asks of the merge request of its branch. Absent fields stay as they are. */
export interface AskedOptions {
  readonly create: boolean
  readonly draft: boolean
  readonly autoMerge: boolean
  readonly target?: string
  readonly targetProject?: string
  readonly title?: string
  readonly description?: string
  readonly milestone?: string
  readonly removeSourceBranch?: boolean
  readonly squash?: boolean
  readonly label: readonly string[]
  readonly unlabel: readonly string[]
  /** Usernames or ids. */
  readonly assign: readonly string[]
  readonly unassign: readonly string[]
}

/** @returns undefined for a push that says nothing of merge requests */
export function askedOptions(options: PushedOptions | undefined): AskedOptions | undefined {
  const given = options?.['merge_request']
  if (given === undefined) return undefined
  const text = (name: string): string | undefined => {
    const value = given[name]
    return typeof value === 'string' ? value : undefined
  }
  // Without a value it is set. Scripts write `=false`, too.
  const flag = (name: string): boolean | undefined => {
    const value = given[name]
    return value === undefined ? undefined : value !== 'false'
  }
  const list = (name: string): readonly string[] => {
    const value = given[name]
    return typeof value === 'object' ? Object.keys(value) : []
  }
  return defined({
    create: flag('create') ?? false,
    draft: flag('draft') ?? false,
    autoMerge: flag('auto_merge') ?? flag('merge_when_pipeline_succeeds') ?? false,
    target: text('target'),
    targetProject: text('target_project'),
    title: text('title'),
    // A push option is one line.
    description: text('description')?.replaceAll('\\n', '\n'),
    milestone: text('milestone'),
    removeSourceBranch: flag('remove_source_branch'),
    squash: flag('squash'),
    label: list('label'),
    unlabel: list('unlabel'),
    assign: list('assign'),
    unassign: list('unassign'),
  })
}
