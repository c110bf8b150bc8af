import { anyMatches, type PathSource, readChanges } from './conditions.ts'
import { type Expression, holds, parseExpression } from './expression.ts'
import type { Scope } from './expand.ts'
import { isPattern, patternOf } from './patterns.ts'
import { isMapping, textsOf, type Value } from './values.ts'

/** `only` or `except`. */
export interface Filter {
  readonly refs: readonly string[]
  readonly variables: readonly Expression[]
  readonly changes: readonly string[]
}
/** What filters are asked about. */
export interface FilteredPipeline {
  readonly ref: string
  readonly isTag: boolean
  readonly source: string
  readonly projectPath: string
}
type Say = (path: string, text: string) => void

/** What a job without `only`, `except` and rules is run for. */
export const BRANCHES_AND_TAGS: Filter = { refs: ['branches', 'tags'], variables: [], changes: [] }

/** Reads `only` or `except`: names, or a mapping with `refs`, `variables` and `changes`. */
export function readFilter(value: Value | undefined, path: string, say: Say): Filter | undefined {
  if (value === undefined || value === null) return undefined
  if (!isMapping(value)) {
    const refs = textsOf(value)
    if (refs === undefined) say(path, 'config has to be either an array of conditions or a hash')
    return { refs: refsOf(refs ?? [], path, say), variables: [], changes: [] }
  }
  const unknown = [...value.keys()].filter(
    (key) => !['refs', 'variables', 'changes', 'kubernetes'].includes(key),
  )
  if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
  // There are no clusters, so `only` would never hold and `except` always would.
  if (value.get('kubernetes') !== undefined && value.get('kubernetes') !== null)
    say(`${path}:kubernetes`, 'is not supported: remove it, or use rules')
  const expressions = textsOf(value.get('variables') ?? []) ?? []
  const variables = expressions.map(parseExpression).filter((one) => one !== undefined)
  if (variables.length < expressions.length) say(path, 'variables invalid expression syntax')
  return {
    refs: refsOf(textsOf(value.get('refs') ?? []) ?? [], path, say),
    variables,
    changes: readChanges(value.get('changes'), path, say)?.paths ?? [],
  }
}

function refsOf(refs: string[], path: string, say: Say): string[] {
  if (refs.some((ref) => isPattern(ref) && patternOf(ref) === undefined)) {
    say(path, 'config should be an array of strings or regular expressions using re2 syntax')
  }
  return refs
}

/** All parts that `only` has must hold. */
export async function allHold(
  filter: Filter,
  pipeline: FilteredPipeline,
  scope: Scope,
  paths: PathSource,
): Promise<boolean> {
  const { refs, variables, changes } = filter
  if (refs.length > 0 && !refs.some((ref) => isMeant(ref, pipeline))) return false
  if (variables.length > 0 && !variables.some((one) => holds(one, scope.valueOf))) return false
  return changes.length === 0 || changed(changes, scope, paths)
}

/** One part of `except` is enough. */
export async function anyHolds(
  filter: Filter,
  pipeline: FilteredPipeline,
  scope: Scope,
  paths: PathSource,
): Promise<boolean> {
  const { refs, variables, changes } = filter
  if (refs.some((ref) => isMeant(ref, pipeline))) return true
  if (variables.some((one) => holds(one, scope.valueOf))) return true
  return changes.length > 0 && changed(changes, scope, paths)
}

async function changed(patterns: readonly string[], scope: Scope, paths: PathSource): Promise<boolean> {
  const all = await paths.changed(undefined)
  return all === null || anyMatches(patterns.map(scope.expand), all)
}

const SOURCES: Record<string, string> = {
  api: 'api',
  chat: 'chat',
  external: 'external',
  external_pull_requests: 'external_pull_request_event',
  merge_requests: 'merge_request_event',
  pipelines: 'pipeline',
  pushes: 'push',
  schedules: 'schedule',
  triggers: 'trigger',
  web: 'web',
}

function isMeant(ref: string, { ref: name, isTag, source, projectPath }: FilteredPipeline): boolean {
  const [wanted, path] = isPattern(ref) ? [ref] : splitAt(ref)
  if (path !== undefined && path !== projectPath) return false
  const ofMergeRequest = source === 'merge_request_event'
  if (SOURCES[wanted] === source) return true
  if (ofMergeRequest) return false
  if (wanted === 'branches') return !isTag
  if (wanted === 'tags') return isTag
  return isPattern(wanted) ? patternOf(wanted)?.finds(name) === true : wanted === name
}

function splitAt(ref: string): [string, string?] {
  const at = ref.indexOf('@')
  return at < 0 ? [ref] : [ref.slice(0, at), ref.slice(at + 1)]
}
