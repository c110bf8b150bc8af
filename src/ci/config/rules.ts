import { type Condition, readCondition } from './conditions.ts'
import { durationOf } from './durations.ts'
import { type Need, readNeeds } from './needs.ts'
import { flatten, isList, isMapping, isScalar, isText, type Mapping, type Value } from './values.ts'
import { readVariables, type Variables } from './variables.ts'

export const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'] as const
export type When = (typeof WHENS)[number]
export const isWhen = (value: Value | undefined): value is When =>
  isText(value) && WHENS.some((when) => when === value)

/** What a rule of a job, of the workflow or of an include asks, and what it does if that holds. */
export interface Rule extends Condition {
  readonly when: When | undefined
  readonly startIn: number | undefined
  readonly allowFailure: AllowFailure | undefined
  readonly variables: Variables
  readonly needs: readonly Need[] | undefined
  readonly interruptible: boolean | undefined
  readonly autoCancel: AutoCancel | undefined
}
/** Whether a failure lets the pipeline go on; with exit codes, only a failure that ends with one of them. */
export type AllowFailure = boolean | { readonly exitCodes: readonly number[] }
export interface AutoCancel {
  readonly onNewCommit: string | undefined
  readonly onJobFailure: string | undefined
}

type Say = (path: string, text: string) => void
const JOB_KEYS = [
  'if',
  'changes',
  'exists',
  'when',
  'start_in',
  'allow_failure',
  'variables',
  'needs',
  'interruptible',
]
const KEYS = {
  job: JOB_KEYS,
  workflow: ['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel'],
  include: ['if', 'changes', 'exists', 'when'],
} as const

/** Reads a list of rules; undefined if there is none. */
export function readRules(
  value: Value | undefined,
  whose: keyof typeof KEYS,
  path: string,
  say: Say,
): Rule[] | undefined {
  if (value === undefined || value === null) return undefined
  const all = isList(value) ? flatten(value) : undefined
  if (all === undefined) {
    say(path, 'config should be an array of hashes')
    return undefined
  }
  if (!all.every(isMapping)) say(path, 'config should be an array containing hashes and arrays of hashes')
  return all.filter(isMapping).map((rule) => readRule(rule, whose, `${path}:rule`, say))
}

function readRule(rule: Mapping, whose: keyof typeof KEYS, path: string, say: Say): Rule {
  const known: readonly string[] = KEYS[whose]
  const unknown = [...rule.keys()].filter((key) => !known.includes(key))
  if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
  if (rule.size === 0) say(path, "config can't be blank")
  const when = rule.get('when')
  const allowed = whose === 'job' ? WHENS : (['always', 'never'] as const)
  if (when !== undefined && when !== null && !allowed.some((one) => one === when)) {
    say(path, `when unknown value: ${String(isScalar(when) ? when : 'a hash or an array')}`)
  }
  const interruptible = rule.get('interruptible')
  return {
    ...readCondition(rule, path, say),
    when: isWhen(when) ? when : undefined,
    startIn: readStart(rule.get('start_in'), when === 'delayed', path, say),
    allowFailure: readAllowFailure(rule.get('allow_failure'), path, say),
    variables: readVariables(rule.get('variables'), `${path}:variables`, say),
    needs: rule.has('needs') ? readNeeds(rule.get('needs'), path, say).needs : undefined,
    interruptible: typeof interruptible === 'boolean' ? interruptible : undefined,
    autoCancel: readAutoCancel(rule.get('auto_cancel'), `${path}:auto_cancel`, say),
  }
}

/** Seconds after which a delayed job starts: at most a week. */
export function readStart(
  value: Value | undefined,
  isDelayed: boolean,
  path: string,
  say: Say,
): number | undefined {
  if (value === undefined || value === null) {
    if (isDelayed) say(path, 'start in should be a duration')
    return undefined
  }
  const seconds = isScalar(value) && typeof value !== 'boolean' ? durationOf(String(value)) : undefined
  if (!isDelayed) say(path, 'start in must be blank')
  else if (seconds === undefined) say(path, 'start in should be a duration')
  else if (seconds > 604_800) say(path, 'start in should not exceed the limit')
  return isDelayed ? seconds : undefined
}

export function readAllowFailure(value: Value | undefined, path: string, say: Say): AllowFailure | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  const codes = isMapping(value) && value.size === 1 ? value.get('exit_codes') : undefined
  const list = isList(codes) ? codes : [codes]
  const exitCodes = list.filter((code) => typeof code === 'number' && Number.isInteger(code))
  if (exitCodes.length === list.length)
    return { exitCodes: exitCodes.filter((code) => typeof code === 'number') }
  say(`${path}:allow_failure`, 'config should be a hash with exit_codes or a boolean value')
  return undefined
}

export function readAutoCancel(value: Value | undefined, path: string, say: Say): AutoCancel | undefined {
  if (value === undefined || value === null) return undefined
  if (!isMapping(value)) {
    say(path, 'config should be a hash')
    return undefined
  }
  const word = (key: string, words: readonly string[]): string | undefined => {
    const held = value.get(key)
    if (held === undefined || (isText(held) && words.includes(held))) return isText(held) ? held : undefined
    say(path, `${key.replaceAll('_', ' ')} must be one of: ${words.join(', ')}`)
    return undefined
  }
  return {
    onNewCommit: word('on_new_commit', ['conservative', 'interruptible', 'none']),
    onJobFailure: word('on_job_failure', ['none', 'all']),
  }
}
