import { NO_OBJECT, branchOf, tagOf } from '#code/git/names.ts'
import { COPIED, type RecordStep } from '#code/repositories/record-changes.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { createPipelineLater } from './later.ts'

/** Branches and tags of one push that get pipelines; with more, none does. GitLab has the same bound. */
const MOST = 4

/** A push makes pipelines, after it and without delaying it: a job reads the configuration. */
export const followPush: RecordStep = {
  prepare({ row, changes, cause, by, options }) {
    const projectId = row.project_id
    const author = by.author
    const pushed = changes.filter(
      ({ ref, after }) => after !== NO_OBJECT && (branchOf(ref) ?? tagOf(ref)) !== undefined,
    )
    if (
      row.kind !== 'project' ||
      projectId === null ||
      author === null ||
      cause === COPIED ||
      pushed.length > MOST
    )
      return Promise.resolve(() => Promise.resolve())
    return Promise.resolve(async (tx) => {
      for (const { ref, before, after } of pushed) {
        await enqueue(tx, createPipelineLater, {
          project_id: projectId,
          ref,
          before,
          sha: after,
          user_id: author.id,
          ...ciOptions(options),
          origin: `push ${ref} ${before} ${after} ${tx.now}`,
        })
      }
    })
  },
}

/** What the person said of pipelines with the push. */
function ciOptions(options: PushedOptions | undefined): {
  readonly skip?: true
  readonly variables?: { readonly key: string; readonly value: string }[]
  readonly inputs?: Record<string, string>
} {
  const ci = options?.['ci']
  if (ci === undefined) return {}
  const variables = pairsOf(ci['variable'])
  const inputs = pairsOf(ci['input'])
  return {
    ...(ci['skip'] !== undefined && { skip: true as const }),
    ...(variables.length > 0 && { variables: variables.map(([key, value]) => ({ key, value })) }),
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
  }
}

/** `NAME=value`, as an option has it that may come several times. */
function pairsOf(option: PushedOptions[string][string] | undefined): [string, string][] {
  if (typeof option !== 'object') return []
  return Object.keys(option).flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]]
  })
}
