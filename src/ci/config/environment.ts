import type { JobEnvironment } from './configuration.ts'
import { anything, duration, hash, oneOf, text } from './forms.ts'
import { isAbsent, isMapping, isText, type Mapping, type Value } from './values.ts'

const ACTIONS = ['start', 'prepare', 'stop', 'verify', 'access'] as const
const isAction = (value: Value | undefined): value is JobEnvironment['action'] =>
  ACTIONS.some((action) => action === value)

const form = hash(
  {
    name: text,
    url: text,
    action: oneOf(...ACTIONS),
    on_stop: text,
    auto_stop_in: (value, path, say) => {
      // What a variable says is known when the job starts.
      if (!isText(value) || !value.includes('$')) duration(value, path, say)
    },
    deployment_tier: oneOf('production', 'staging', 'testing', 'development', 'other'),
    kubernetes: anything,
  },
  ['name'],
)

/** Reads `environment`: a name, or a mapping. */
export function readEnvironment(
  value: Value | undefined,
  path: string,
  say: (path: string, text: string) => void,
): JobEnvironment | undefined {
  if (isAbsent(value)) return undefined
  if (isText(value)) return { name: value, action: 'start' }
  if (!isMapping(value)) {
    say(path, 'config should be a hash or a string')
    return undefined
  }
  form(value, path, say)
  const name = value.get('name')
  const action = value.get('action')
  return isText(name)
    ? {
        name,
        action: isAction(action) ? action : 'start',
        ...texts(value, {
          url: 'url',
          onStop: 'on_stop',
          autoStopIn: 'auto_stop_in',
          tier: 'deployment_tier',
        }),
      }
    : undefined
}

/** Those of these keys that are texts, by new names. */
export function texts<Name extends string>(
  from: Mapping,
  keys: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name in keys) {
    const held = from.get(keys[name])
    if (isText(held)) found[name] = held
  }
  return found
}
