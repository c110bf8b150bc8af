import { type Circumstances, satisfied } from './conditions.ts'
import type { ShownInclude } from './configuration.ts'
import { hasWildcard } from './globs.ts'
import { withInputs } from './inputs.ts'
import { ConfigurationError, type Problems } from './problems.ts'
import { readRules } from './rules.ts'
import { deepMerge, isList, isMapping, isText, type Mapping, textsOf, type Value } from './values.ts'
import { readYaml } from './yaml.ts'

/** A file that a configuration wants to include. */
export type IncludeRequest =
  /** Of the repository that the including file is of. The path may have `*` and `**`. */
  | { readonly type: 'local'; readonly path: string; readonly tree: string }
  | {
      readonly type: 'project'
      readonly project: string
      readonly ref: string | null
      readonly path: string
      readonly tree: string
    }
  | { readonly type: 'remote'; readonly url: string }
  | { readonly type: 'template'; readonly name: string }
  /** Of a job of the pipeline that starts the one whose configuration this is. */
  | { readonly type: 'artifact'; readonly path: string; readonly job: string }

export interface IncludedFile {
  readonly text: string
  /** Stands for the repository and commit that its own local includes are looked for in. */
  readonly tree: string
  readonly shown: ShownInclude
}
export type IncludeAnswer = { readonly files: readonly IncludedFile[] } | { readonly error: string }

/** Finds the texts of files; one answer for each request. */
export interface FileSource {
  fetch(requests: readonly IncludeRequest[]): Promise<readonly IncludeAnswer[]>
}

const MOST_INCLUDES = 150
/** Bytes of all files. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_LEVELS = 100

interface Wanted {
  readonly request: IncludeRequest
  readonly inputs: Mapping
}

/** Merges into a configuration what it includes. */
export class Includes {
  readonly shown: ShownInclude[] = []
  readonly #files: FileSource
  readonly #circumstances: Circumstances
  readonly #problems: Problems
  #count = 0
  #bytes = 0

  constructor(files: FileSource, circumstances: Circumstances, problems: Problems) {
    this.#files = files
    this.#circumstances = circumstances
    this.#problems = problems
  }

  /** @throws {ConfigurationError} for what cannot be had */
  async read(text: string, file: string, tree: string, inputs: Mapping, level = 0): Promise<Mapping> {
    this.#bytes += text.length
    if (this.#bytes > MOST_BYTES)
      throw new ConfigurationError('Total size of all included files exceeds the limit', { file })
    const body = withInputs(text, file, inputs, this.#circumstances.scope.valueOf)
    const { content, lines } = readYaml(body, file)
    const own = new Map([...content].filter(([key]) => key !== 'include'))
    const value = content.get('include')
    const line = lines.get('include')?.line
    const included =
      value === undefined || value === null
        ? new Map<string, Value>()
        : await this.#all(value, tree, level, { file, line })
    for (const [key, at] of lines) this.#problems.know(key, at)
    return deepMerge(included, own)
  }

  async #all(
    value: Value,
    tree: string,
    level: number,
    at: { file: string; line: number | undefined },
  ): Promise<Mapping> {
    const fail = (text: string): ConfigurationError => new ConfigurationError(text, at)
    const entries = isList(value) ? value.flat(5) : [value]
    const wanted: Wanted[] = []
    for (const entry of entries) {
      for (const one of await this.#wanted(entry, tree, fail)) wanted.push(one)
    }
    if (level >= MOST_LEVELS || this.#count + wanted.length > MOST_INCLUDES) throw tooMany(fail)
    const answers = wanted.length === 0 ? [] : await this.#files.fetch(wanted.map(({ request }) => request))
    let merged: Mapping = new Map<string, Value>()
    for (const [index, { inputs }] of wanted.entries()) {
      const answer = answers[index]
      if (answer === undefined) throw fail('Included file is empty or does not exist!')
      if ('error' in answer) throw fail(answer.error)
      for (const { text, tree: within, shown } of answer.files) {
        this.#count += 1
        if (this.#count > MOST_INCLUDES) throw tooMany(fail)
        this.shown.push(shown)
        if (text.trim() === '') throw fail(`Included file \`${shown.location}\` is empty or does not exist!`)
        merged = deepMerge(merged, await this.read(text, shown.location, within, inputs, level + 1))
      }
    }
    return merged
  }

  async #wanted(entry: Value, tree: string, fail: (text: string) => ConfigurationError): Promise<Wanted[]> {
    const { scope } = this.#circumstances
    if (isText(entry)) {
      const path = scope.expand(entry)
      return [
        {
          request: /^https?:\/\//i.test(path) ? { type: 'remote', url: path } : local(path, tree, fail),
          inputs: new Map(),
        },
      ]
    }
    if (!isMapping(entry)) throw fail('include config should be an array of hashes or strings')
    const kinds = ['local', 'remote', 'template', 'component', 'file', 'project', 'artifact'].filter((key) =>
      entry.has(key),
    )
    const isProject = entry.has('project') && entry.has('file') && kinds.length === 2
    if (!isProject && (kinds.length !== 1 || entry.has('project') || entry.has('file'))) {
      throw fail(
        `Include \`${JSON.stringify(Object.fromEntries(entry))}\` needs to match exactly one accessor!`,
      )
    }
    const unknown = [...entry.keys()].filter((key) => !KEYS.includes(key))
    if (unknown.length > 0) throw fail(`include config contains unknown keys: ${unknown.join(', ')}`)
    for (const key of ['integrity', 'cache']) {
      if (entry.has(key)) throw fail(`\`include:${key}\` is not supported: remove it`)
    }
    if (entry.has('component'))
      throw fail(
        '`include:component` is not supported: include the file of the component with `include:project`',
      )
    if (!(await this.#isWanted(entry, fail))) return []
    const inputs = entry.get('inputs') ?? new Map<string, Value>()
    if (!isMapping(inputs)) throw fail('include:inputs config should be a hash')
    return requestsOf(entry, tree, scope.expand, fail).map((request) => ({ request, inputs }))
  }

  async #isWanted(entry: Mapping, fail: (text: string) => ConfigurationError): Promise<boolean> {
    const rules = readRules(entry.get('rules'), 'include', 'include:rules', (path, text) => {
      throw fail(`${path} ${text}`)
    })
    if (rules === undefined) return true
    for (const rule of rules) {
      if (await satisfied(rule, this.#circumstances)) return rule.when !== 'never'
    }
    return false
  }
}

const KEYS = [
  'local',
  'remote',
  'template',
  'component',
  'file',
  'project',
  'artifact',
  'job',
  'ref',
  'rules',
  'inputs',
  'integrity',
  'cache',
]

const tooMany = (fail: (text: string) => ConfigurationError): ConfigurationError =>
  fail(`Maximum of ${MOST_INCLUDES} nested includes are allowed!`)

function local(path: string, tree: string, fail: (text: string) => ConfigurationError): IncludeRequest {
  if (!/\.ya?ml$/i.test(path) && !hasWildcard(path))
    throw fail(`Local file \`${path}\` does not have YAML extension!`)
  return { type: 'local', path, tree }
}

function requestsOf(
  entry: Mapping,
  tree: string,
  expand: (text: string) => string,
  fail: (text: string) => ConfigurationError,
): IncludeRequest[] {
  const textOf = (key: string): string => {
    const held = entry.get(key)
    if (!isText(held) || held === '') throw fail(`include:${key} config should be a string`)
    return expand(held)
  }
  if (entry.has('local')) return [local(textOf('local'), tree, fail)]
  if (entry.has('remote')) {
    const url = textOf('remote')
    if (!/^https?:\/\/[^/]/i.test(url)) throw fail(`Remote file \`${url}\` does not have a valid address!`)
    return [{ type: 'remote', url }]
  }
  if (entry.has('template')) return [{ type: 'template', name: textOf('template') }]
  if (entry.has('artifact')) return [{ type: 'artifact', path: textOf('artifact'), job: textOf('job') }]
  const paths = textsOf(entry.get('file') ?? null)
  if (paths === undefined) throw fail('include:file config should be a string or an array of strings')
  const project = textOf('project')
  const ref = entry.has('ref') ? textOf('ref') : null
  return paths.map((path): IncludeRequest => ({ type: 'project', project, ref, path: expand(path), tree }))
}
