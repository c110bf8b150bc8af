import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Json } from '#platform/db/schema.ts'

/**
 * What somebody added to a push with `git push -o`, by the part before the dot and the part after it. An option that may come several
 * times has its values, with how often each came; one without a value is true.
 */
const PushedOptions = Type.Record(
  Type.String(),
  Type.Record(
    Type.String(),
    Type.Union([Type.String(), Type.Literal(true), Type.Record(Type.String(), Type.Integer())]),
  ),
)

export type PushedOptions = Static<typeof PushedOptions>

/** The options in a row; undefined for none. */
export const readStoredOptions = (json: Json | null): PushedOptions | undefined =>
  Check(PushedOptions, json) ? json : undefined

/** Options of which a push may have several values. */
const several: Readonly<Record<string, readonly string[]>> = {
  merge_request: ['label', 'unlabel', 'assign', 'unassign'],
  ci: ['variable', 'input'],
}

/** All options that have an effect, or will have one. */
const known: Readonly<Record<string, readonly string[]>> = {
  merge_request: [
    'create',
    'target',
    'target_project',
    'title',
    'description',
    'draft',
    'label',
    'unlabel',
    'milestone',
    'assign',
    'unassign',
    'merge_when_pipeline_succeeds',
    'auto_merge',
    'remove_source_branch',
    'squash',
  ],
  // Pipelines of branches will read these: docs/decisions/0036-push-options.md.
  ci: ['skip', 'variable', 'input'],
  integrations: ['skip_ci'],
}

/** Names that mean another one. */
const aliases: Readonly<Record<string, string>> = { mr: 'merge_request' }

interface ReadOptions {
  /** Undefined for none. */
  readonly options: PushedOptions | undefined
  /** The names of those that mean nothing here, without their values. */
  readonly unknown: readonly string[]
}

/** Reads the options of a push, as a client sent them. Of an option with one value the last counts. */
export function readPushOptions(sent: readonly string[]): ReadOptions {
  const read = new Map<string, Map<string, Value>>()
  const unknown = new Set<string>()
  for (const option of sent) {
    const [, name = option, equals, value = ''] = /^([^=]*)(=)?(.*)$/s.exec(option) ?? []
    const [, before = '', key = ''] = /^([^.]+)\.(.+)$/s.exec(name) ?? []
    const space = aliased(before)
    if (!has(known, space, key)) {
      unknown.add(name)
      continue
    }
    const keys = read.get(space) ?? new Map<string, Value>()
    read.set(space, keys)
    if (!has(several, space, key)) keys.set(key, equals === undefined || value === '' ? true : value)
    else if (value !== '') keys.set(key, counted(keys.get(key), value))
  }
  const filled = [...read].filter(([, keys]) => keys.size > 0)
  return {
    options: filled.length === 0 ? undefined : Object.fromEntries(filled.map(plain)),
    unknown: [...unknown],
  }
}

const aliased = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

const has = (table: Readonly<Record<string, readonly string[]>>, space: string, key: string): boolean =>
  Object.hasOwn(table, space) && (table[space]?.includes(key) ?? false)

type Value = string | true | Map<string, number>

function counted(before: Value | undefined, value: string): Map<string, number> {
  const counts = before instanceof Map ? before : new Map<string, number>()
  return counts.set(value, (counts.get(value) ?? 0) + 1)
}

const plain = ([space, keys]: [string, Map<string, Value>]): [string, PushedOptions[string]] => [
  space,
  Object.fromEntries(
    [...keys].map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  ),
]
