import type { ConfiguredJob } from './configuration.ts'
import { readEnvironment } from './environment.ts'
import { durationOf } from './durations.ts'
import { readFilter } from './filters.ts'
import { patternOf } from './patterns.ts'
import { readParallel } from './matrix.ts'
import { readNeeds } from './needs.ts'
import type { Problems } from './problems.ts'
import { isWhen, readAllowFailure, readRules, readStart, WHENS } from './rules.ts'
import { idTokens, runnerForms } from './runner-forms.ts'
import { readTrigger } from './trigger.ts'
import {
  isAbsent,
  isList,
  isMapping,
  isScalar,
  isText,
  type Json,
  type Mapping,
  textsOf,
  toJson,
  type Value,
} from './values.ts'
import { readVariables } from './variables.ts'

const DECIDING = [
  'stage',
  'type',
  'when',
  'start_in',
  'only',
  'except',
  'rules',
  'variables',
  'inherit',
  'allow_failure',
  'dependencies',
  'needs',
  'coverage',
  'environment',
  'parallel',
  'resource_group',
  'interruptible',
  'extends',
  'id_tokens',
]
const JOB_KEYS = new Set([...DECIDING, ...Object.keys(runnerForms)])
const BRIDGE_KEYS = new Set([...DECIDING, 'trigger', 'inputs', 'manual_confirmation'])

/** Reads a job. What is wrong with it is told to `problems`; undefined if nothing of it can be used. */
export function readJob(name: string, entry: Mapping, problems: Problems): ConfiguredJob | undefined {
  const say = (path: string, text: string): void =>
    problems.error(`${path} ${text}`, name, path.slice(`jobs:${name}:`.length).split(':')[0])
  const at = `jobs:${name}`
  if (!['script', 'run', 'trigger'].some((key) => !isAbsent(entry.get(key))) && !isStatusBridge(entry)) {
    problems.error(`${at} config should implement the script:, run:, or trigger: keyword`, name)
    return undefined
  }
  if (name.length > 255) say(at, 'config name is too long (maximum is 255 characters)')
  const known = isAbsent(entry.get('trigger')) && !isStatusBridge(entry) ? JOB_KEYS : BRIDGE_KEYS
  const unknown = [...entry.keys()].filter((key) => !known.has(key))
  if (unknown.length > 0)
    problems.error(`${at} config contains unknown keys: ${unknown.join(', ')}`, name, unknown[0])
  warnOfUnsupported(name, entry, problems)

  const rules = readRules(entry.get('rules'), 'job', `${at}:rules`, say)
  for (const key of ['only', 'except']) {
    if (rules !== undefined && !isAbsent(entry.get(key)))
      say(at, `config key may not be used with \`rules\`: ${key}`)
  }
  const when = entry.get('when')
  if (!isAbsent(when) && !isWhen(when)) say(at, `when should be one of: ${WHENS.join(', ')}`)
  const isManual = when === 'manual'
  const { needs, cross } = readNeeds(entry.get('needs'), at, say)
  const timeout = entry.get('timeout')
  return {
    name,
    stage: textOf(entry, 'stage', 'test', (text) => say(`${at}:stage`, text)),
    when: isWhen(when) ? when : 'on_success',
    startIn: readStart(entry.get('start_in'), when === 'delayed', at, say),
    allowFailure: readAllowFailure(entry.get('allow_failure'), at, say) ?? isManual,
    rules,
    only: readFilter(entry.get('only'), `${at}:only`, say),
    except: readFilter(entry.get('except'), `${at}:except`, say),
    variables: readVariables(entry.get('variables'), `${at}:variables`, say),
    inherits: inheritedVariables(entry.get('inherit'), `${at}:inherit`, say),
    needs,
    crossNeeds: cross,
    dependencies: readDependencies(entry.get('dependencies'), at, say),
    copies: readParallel(entry.get('parallel'), `${at}:parallel`, say),
    trigger: readTrigger(entry.get('trigger'), `${at}:trigger`, say),
    environment: readEnvironment(entry.get('environment'), `${at}:environment`, say),
    interruptible: flagOf(entry, 'interruptible', at, say),
    resourceGroup: textOf(entry, 'resource_group', undefined, (text) => say(at, `resource group ${text}`)),
    coverage: readCoverage(entry.get('coverage'), `${at}:coverage`, say),
    timeout: isScalar(timeout) ? durationOf(String(timeout)) : undefined,
    tags: (isList(entry.get('tags')) ? textsOf(entry.get('tags')) : undefined) ?? [],
    options: runnerOptions(entry, at, say),
  }
}

/** A job that mirrors the state of a pipeline upstream. */
function isStatusBridge(entry: Mapping): boolean {
  const needs = entry.get('needs')
  return isMapping(needs) && needs.has('pipeline') && !needs.has('job')
}

type Say = (path: string, text: string) => void

function textOf<Otherwise extends string | undefined>(
  entry: Mapping,
  key: string,
  otherwise: Otherwise,
  say: (text: string) => void,
): string | Otherwise {
  const held = entry.get(key)
  if (isAbsent(held)) return otherwise
  if (isScalar(held)) return String(held)
  say('config should be a string')
  return otherwise
}

function flagOf(entry: Mapping, key: string, at: string, say: Say): boolean | undefined {
  const held = entry.get(key)
  if (isAbsent(held) || typeof held === 'boolean') return held ?? undefined
  say(at, `${key} should be a boolean value`)
  return undefined
}

function inheritedVariables(inherit: Value | undefined, path: string, say: Say): boolean | readonly string[] {
  if (isAbsent(inherit)) return true
  if (!isMapping(inherit)) {
    say(path, 'config should be a hash')
    return true
  }
  const unknown = [...inherit.keys()].filter((key) => key !== 'default' && key !== 'variables')
  if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
  for (const [key, held] of inherit) {
    const isRight = typeof held === 'boolean' || (isList(held) && textsOf(held) !== undefined)
    if (!isRight && held !== null) say(`${path}:${key}`, 'config should be a boolean or an array of strings')
  }
  const variables = inherit.get('variables')
  if (typeof variables === 'boolean') return variables
  return isList(variables) ? (textsOf(variables) ?? true) : true
}

function readDependencies(value: Value | undefined, at: string, say: Say): string[] | undefined {
  if (isAbsent(value)) return undefined
  const names = isList(value) ? textsOf(value) : undefined
  if (names === undefined) say(at, 'dependencies should be an array of strings')
  return names
}

function readCoverage(value: Value | undefined, path: string, say: Say): string | undefined {
  if (isAbsent(value)) return undefined
  if (isText(value) && /^\/[^]+\/$/.test(value) && patternOf(value) !== undefined) return value
  say(path, 'config must be a regular expression')
  return undefined
}

function runnerOptions(entry: Mapping, at: string, say: Say): Record<string, Json> {
  const options: Record<string, Json> = {}
  for (const [key, value] of entry) {
    const form = key === 'id_tokens' ? idTokens : runnerForms[key]
    if (form === undefined || value === null || key === 'tags' || key === 'timeout') {
      if (form !== undefined && value !== null) form(value, `${at}:${key}`, say)
      continue
    }
    form(value, `${at}:${key}`, say)
    options[key] = key.endsWith('script') ? (textsOf(value) ?? []) : toJson(value)
  }
  return options
}

function warnOfUnsupported(name: string, entry: Mapping, problems: Problems): void {
  const warnings: Record<string, string> = {
    id_tokens: 'identity tokens are not issued: the variables stay unset',
    resource_group: 'jobs of a resource group do not wait for each other',
    secrets: 'secrets of other servers are not fetched',
    identity: 'no identity of another cloud is issued',
    run: 'steps are passed through to the runner as they are',
  }
  for (const [key, text] of Object.entries(warnings)) {
    if (!isAbsent(entry.get(key))) problems.warn(`jobs:${name}:${key} ${text}`, name, key)
  }
}
