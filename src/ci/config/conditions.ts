import { type Expression, holds, parseExpression } from './expression.ts'
import { matchesGlob, MOST_COMPARISONS } from './globs.ts'
import type { Scope } from './expand.ts'
import { isMapping, isText, textsOf, type Mapping, type Value } from './values.ts'

/** What a rule asks. All of it has to hold. */
export interface Condition {
  readonly if: Expression | undefined
  readonly changes: { readonly paths: readonly string[]; readonly compareTo: string | undefined } | undefined
  readonly exists: ExistsCondition | undefined
}
export interface ExistsCondition {
  readonly paths: readonly string[]
  readonly project: string | undefined
  readonly ref: string | undefined
}

/** Paths, each ended by a NUL: as one text they are quickly handed to another process. */
export type Paths = string

/** What conditions ask of the repository. */
export interface PathSource {
  /** Paths that a commit changes; null if there is nothing to compare with, and everything counts as changed. */
  changed(compareTo: string | undefined): Promise<Paths | null>
  /** Paths of the files of a commit; null if that commit is not there for the caller. */
  existing(project: string | undefined, ref: string | undefined): Promise<Paths | null>
}

/** What a condition is asked about. */
export interface Circumstances {
  readonly scope: Scope
  readonly paths: PathSource
}

type Say = (path: string, text: string) => void

/** Reads what a rule asks. */
export function readCondition(rule: Mapping, path: string, say: Say): Condition {
  const asked = rule.get('if')
  const parsed = isText(asked) ? parseExpression(asked) : undefined
  if (asked !== undefined && asked !== null && parsed === undefined) say(path, 'if invalid expression syntax')
  return {
    if: parsed,
    changes: readChanges(rule.get('changes'), path, say),
    exists: readExists(rule.get('exists'), path, say),
  }
}

export function readChanges(value: Value | undefined, path: string, say: Say): Condition['changes'] {
  if (value === undefined || value === null) return undefined
  const paths = textsOf(isMapping(value) ? value.get('paths') : value)
  const compareTo = isMapping(value) ? value.get('compare_to') : undefined
  unknownKeys(value, ['paths', 'compare_to'], `${path}:changes`, say)
  if (paths === undefined) {
    say(`${path}:changes`, 'config should be an array of strings')
    return undefined
  }
  if (paths.length > MOST_PATTERNS) say(`${path}:changes`, `config is too long (maximum is ${MOST_PATTERNS})`)
  return { paths, compareTo: isText(compareTo) ? compareTo : undefined }
}

function readExists(value: Value | undefined, path: string, say: Say): ExistsCondition | undefined {
  if (value === undefined || value === null) return undefined
  const [paths, project, ref] = isMapping(value)
    ? [textsOf(value.get('paths')), value.get('project'), value.get('ref')]
    : [textsOf(value)]
  unknownKeys(value, ['paths', 'project', 'ref'], `${path}:exists`, say)
  if (paths === undefined) {
    say(`${path}:exists`, 'config should be an array of strings')
    return undefined
  }
  if (paths.length > MOST_PATTERNS) say(`${path}:exists`, `config is too long (maximum is ${MOST_PATTERNS})`)
  return { paths, project: isText(project) ? project : undefined, ref: isText(ref) ? ref : undefined }
}

function unknownKeys(value: Value, known: readonly string[], path: string, say: Say): void {
  if (!isMapping(value)) return
  const unknown = [...value.keys()].filter((key) => !known.includes(key))
  if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
}

const MOST_PATTERNS = 50

/** Whether all that a rule asks holds. */
export async function satisfied(condition: Condition, { scope, paths }: Circumstances): Promise<boolean> {
  if (condition.if !== undefined && !holds(condition.if, scope.valueOf)) return false
  const { changes, exists } = condition
  if (changes !== undefined) {
    const to = changes.compareTo === undefined ? undefined : scope.expand(changes.compareTo)
    const changed = await paths.changed(to)
    if (changed !== null && !anyMatches(changes.paths.map(scope.expand), changed)) return false
  }
  if (exists === undefined) return true
  const existing = await paths.existing(
    exists.project && scope.expand(exists.project),
    exists.ref && scope.expand(exists.ref),
  )
  return existing !== null && anyMatches(exists.paths.map(scope.expand), existing)
}

/** Too many comparisons count as a match, so that a job runs rather than not. */
export function anyMatches(patterns: readonly string[], paths: Paths): boolean {
  const { all, known } = split(paths)
  const globs = patterns.map((pattern) => pattern.replace(/^\.?\/+/, ''))
  if (globs.some((pattern) => known.has(pattern))) return true
  if (globs.length * all.length > MOST_COMPARISONS) return true
  return globs.some((pattern) => all.some((path) => matchesGlob(pattern, path)))
}

interface Split {
  readonly paths: Paths
  readonly all: readonly string[]
  readonly known: ReadonlySet<string>
}
/** The jobs of a configuration mostly ask for the same paths. */
let last: Split | undefined

function split(paths: Paths): Split {
  if (last?.paths !== paths) {
    const all = paths.split('\0').filter((path) => path !== '')
    last = { paths, all, known: new Set(all) }
  }
  return last
}
