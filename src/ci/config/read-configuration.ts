import { checkTogether, stagesOf } from './check-together.ts'
import type { PathSource } from './conditions.ts'
import type { Configuration, ConfiguredJob, Workflow } from './configuration.ts'
import { Scope, type ScopedValue } from './expand.ts'
import { expandExtends } from './extends.ts'
import { type FileSource, Includes } from './includes.ts'
import { readJob } from './jobs.ts'
import { ConfigurationError, Problems } from './problems.ts'
import { resolveReferences } from './references.ts'
import { readAutoCancel, readRules } from './rules.ts'
import { idTokens, runnerForms } from './runner-forms.ts'
import {
  isAbsent,
  isList,
  isMapping,
  isText,
  type Json,
  type Mapping,
  textsOf,
  type Value,
} from './values.ts'
import { Scales } from './weight.ts'
import { readVariables } from './variables.ts'

/** What a configuration is read with. */
export interface ReadingContext {
  readonly files: FileSource
  readonly paths: PathSource
  /** What conditions and addresses of includes may refer to. */
  readonly variables: ReadonlyMap<string, ScopedValue>
  readonly inputs: Mapping
  /** What the file is called in problems, and what local includes are looked for in. */
  readonly file: string
  readonly tree: string
}

/** Jobs of one configuration, before `parallel` makes more of them. */
const MOST_JOBS = 1_000

/** Reads a configuration with all that it includes. It never throws for what the text holds. */
export async function readConfiguration(text: string, context: ReadingContext): Promise<Configuration> {
  const problems = new Problems()
  const circumstances = { scope: new Scope([context.variables]), paths: context.paths }
  const includes = new Includes(context.files, circumstances, problems)
  let merged: Mapping | null = null
  let read = NOTHING
  try {
    if (text.trim() === '') throw new ConfigurationError('Please provide content of .gitlab-ci.yml')
    const content = await includes.read(text, context.file, context.tree, context.inputs)
    const whole = resolveReferences(expandExtends(content, problems))
    new Scales().add(whole)
    merged = whole
    read = contentOf(merged, problems)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    problems.stop(error)
  }
  const { errors, warnings } = problems
  return { ...read, includes: includes.shown, errors, warnings, merged }
}

type Content = Pick<Configuration, 'stages' | 'workflow' | 'variables' | 'jobs'>
const NOTHING: Content = {
  stages: [],
  workflow: { name: undefined, rules: undefined, autoCancel: undefined },
  variables: new Map(),
  jobs: [],
}

/** Keywords that `default` may have; some of them may also stand at the top level. */
const DEFAULTS = [
  'after_script',
  'artifacts',
  'before_script',
  'cache',
  'hooks',
  'id_tokens',
  'identity',
  'image',
  'interruptible',
  'retry',
  'services',
  'tags',
  'timeout',
]
const TOP_DEFAULTS = ['after_script', 'before_script', 'cache', 'image', 'services']
const TOP = new Set([
  ...TOP_DEFAULTS,
  'default',
  'include',
  'stages',
  'types',
  'variables',
  'workflow',
  'spec',
])

function contentOf(content: Mapping, problems: Problems): Content {
  const stages = stagesOf(content.get('stages') ?? content.get('types'), problems)
  const workflow = readWorkflow(content.get('workflow'), problems)
  const say = (path: string, text: string): void => problems.error(`${path} ${text}`, path.split(':')[0])
  const keys = ['value', 'description', 'options', 'expand']
  const variables = readVariables(content.get('variables'), 'variables', say, keys)
  const defaults = defaultsOf(content, problems)
  const jobs: ConfiguredJob[] = []
  const scales = new Scales()
  let visible = 0
  for (const [name, entry] of content) {
    if (TOP.has(name)) continue
    if (name.startsWith('.')) {
      if (entry === null) problems.error(`jobs:${name} config can't be blank`, name)
      continue
    }
    visible += 1
    if (visible > MOST_JOBS)
      throw new ConfigurationError(`The number of jobs has exceeded the limit of ${MOST_JOBS}`)
    if (!isMapping(entry)) {
      problems.error(`jobs:${name} config should implement the script:, run:, or trigger: keyword`, name)
      continue
    }
    const whole = withDefaults(entry, defaults)
    scales.add(whole)
    const job = readJob(name, whole, problems)
    if (job !== undefined) jobs.push(job)
  }
  if (visible === 0) problems.error('jobs config should contain at least one visible job')
  const read = { stages, workflow, variables, jobs }
  checkTogether(read, problems)
  return read
}

function readWorkflow(value: Value | undefined, problems: Problems): Workflow {
  const say = (path: string, text: string): void =>
    problems.error(`${path} ${text}`, 'workflow', path.split(':')[1])
  if (isAbsent(value)) return NOTHING.workflow
  if (!isMapping(value)) {
    say('workflow', 'config should be a hash')
    return NOTHING.workflow
  }
  const unknown = [...value.keys()].filter((key) => !['rules', 'name', 'auto_cancel'].includes(key))
  if (unknown.length > 0) say('workflow', `config contains unknown keys: ${unknown.join(', ')}`)
  const name = value.get('name')
  if (!isAbsent(name) && !(isText(name) && name.length > 0 && name.length <= 255)) {
    say('workflow', 'name is too long (maximum is 255 characters) or no string')
  }
  return {
    name: isText(name) ? name : undefined,
    rules: readRules(value.get('rules'), 'workflow', 'workflow:rules', say),
    autoCancel: readAutoCancel(value.get('auto_cancel'), 'workflow:auto_cancel', say),
  }
}

/** What jobs have if they say nothing else: `default`, and the keywords that once stood at the top level alone. */
function defaultsOf(content: Mapping, problems: Problems): Mapping {
  const value = content.get('default')
  const say = (path: string, text: string): void =>
    problems.error(`${path} ${text}`, 'default', path.split(':')[1])
  if (!isAbsent(value) && !isMapping(value)) say('default', 'config should be a hash')
  const defaults = new Map(isMapping(value) ? value : [])
  const unknown = [...defaults.keys()].filter((key) => !DEFAULTS.includes(key))
  if (unknown.length > 0) say('default', `config contains unknown keys: ${unknown.join(', ')}`)
  for (const [key, held] of defaults) {
    if (held !== null && key !== 'interruptible') {
      const form = key === 'id_tokens' ? idTokens : runnerForms[key]
      form?.(held, `default:${key}`, say)
    }
  }
  for (const key of TOP_DEFAULTS) {
    const held = content.get(key)
    if (isAbsent(held)) continue
    if (isAbsent(defaults.get(key))) defaults.set(key, held)
    else problems.error(`root ${key} is defined in top-level and \`default:\` entry`, key)
    runnerForms[key]?.(held, key, (path, text) => problems.error(`${path} ${text}`, key))
  }
  return defaults
}

function withDefaults(entry: Mapping, defaults: Mapping): Mapping {
  if (!isAbsent(entry.get('trigger'))) return pick(entry, defaults, ['interruptible'])
  const inherit = entry.get('inherit')
  const wanted = isMapping(inherit) ? inherit.get('default') : undefined
  if (wanted === false) return entry
  return pick(entry, defaults, isList(wanted) ? (textsOf(wanted) ?? DEFAULTS) : DEFAULTS)
}

function pick(entry: Mapping, defaults: Mapping, keys: readonly string[]): Mapping {
  const missing = keys.filter((key) => !entry.has(key) && defaults.has(key))
  if (missing.length === 0) return entry
  return new Map([...entry, ...missing.map((key): [string, Value] => [key, defaults.get(key) ?? null])])
}

/** Inputs as clients give them. */
export const inputsOf = (given: { readonly [name: string]: Json }): Mapping =>
  new Map(Object.entries(given).map(([name, value]): [string, Value] => [name, fromJson(value)]))

export function fromJson(value: Json): Value {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, held]): [string, Value] => [key, fromJson(held)]))
}
