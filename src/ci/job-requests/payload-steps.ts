import { listIn, recordIn, scalarIn, textsIn } from '../config/json.ts'
import type { Json } from '../config/values.ts'
import type { JobDefinition } from '../jobs/definition.ts'
import { releaseCommand } from './release-step.ts'

type JobOptions = JobDefinition['options']

/** A part of what a runner does. */
export interface Step {
  readonly name: 'script' | 'after_script' | 'release'
  readonly script: readonly string[]
  readonly timeout: number
  readonly when: 'on_success' | 'on_failure' | 'always'
  readonly allow_failure: boolean
}

/** The steps of a job. Runners that do not know one of the name `release` do not get such a job. */
export function stepsOf(options: JobOptions, timeout: number): Step[] {
  const script = [...textsIn(options['before_script']), ...textsIn(options['script'])]
  const after = textsIn(options['after_script'])
  const release = options['release'] === undefined ? undefined : releaseCommand(recordIn(options['release']))
  return [
    { name: 'script', script, timeout, when: 'on_success', allow_failure: false },
    ...(release === undefined
      ? []
      : [{ name: 'release', script: [release], timeout, when: 'on_success', allow_failure: false } as const]),
    ...(after.length === 0
      ? []
      : [{ name: 'after_script', script: after, timeout, when: 'always', allow_failure: true } as const]),
  ]
}

export interface Hook {
  readonly name: 'pre_get_sources_script'
  readonly script: readonly string[]
}

export function hooksOf(options: JobOptions): Hook[] {
  const script = textsIn(recordIn(options['hooks'])['pre_get_sources_script'])
  return script.length === 0 ? [] : [{ name: 'pre_get_sources_script', script }]
}

/** An image to run something in. */
export interface Image {
  readonly name: string
  readonly alias?: string
  readonly entrypoint: readonly string[] | null
  readonly command?: readonly string[] | null
  readonly ports: readonly Json[]
  readonly pull_policy: readonly string[] | null
  readonly executor_opts: Json
  readonly variables?: readonly { readonly key: string; readonly value: string }[]
}

type Expand = (text: string) => string

/** The image that a job runs in; null where the runner decides. */
export const imageOf = (options: JobOptions, expand: Expand): Image | null =>
  options['image'] === undefined ? null : image(options['image'], expand)

/** What runs beside a job. */
export const servicesOf = (options: JobOptions, expand: Expand): Image[] =>
  listIn(options['services']).map((service) => {
    const held = recordIn(service)
    const alias = scalarIn(held['alias'])
    const variables = Object.entries(recordIn(held['variables'])).map(([key, value]) => ({
      key,
      value: expand(scalarIn(value) ?? ''),
    }))
    return {
      ...image(service, expand),
      ...(alias !== undefined && { alias: expand(alias) }),
      command: textsOrNull(held['command']),
      ...(variables.length > 0 && { variables }),
    }
  })

function image(value: Json, expand: Expand): Image {
  const held = recordIn(value)
  const executors = (['docker', 'kubernetes'] as const).flatMap((name): [string, Json][] => {
    const options = held[name]
    return options === undefined ? [] : [[name, options]]
  })
  return {
    name: expand(scalarIn(value) ?? scalarIn(held['name']) ?? ''),
    entrypoint: textsOrNull(held['entrypoint']),
    ports: [],
    pull_policy: textsOrNull(held['pull_policy']),
    executor_opts: Object.fromEntries(executors),
  }
}

const textsOrNull = (value: Json | undefined): string[] | null =>
  value === undefined || value === null ? null : textsIn(value)
