import type { Static, TSchema } from 'typebox'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** One application setting, without its name. The type parameter is that of its values. */
export interface Definition<Value> {
  readonly schema: TSchema
  readonly default: Value
  /** One sentence for people. */
  readonly about: string
  /** Why only the default can be set, for what does not exist yet; completes "cannot be changed: …". */
  readonly fixed?: string
  /** Whether it is only stored and sent back: nothing reads it. */
  readonly kept?: true
  readonly older?: OlderForm<Value>
}

/** A setting that says the same in an older form: a change to either changes both. The newer one takes precedence. */
export interface OlderForm<Value> {
  readonly name: string
  fromOlder(value: unknown): Value
  toOlder(value: Value): unknown
}

/** The application settings of a feature, by the names that the API gives them. */
export type Definitions = Readonly<Record<string, Definition<unknown>>>

/**
 * The value of every application setting. Each feature adds its own to this interface, in its `settings.ts`, and names
 * them in its `index.ts`.
 */
export interface Settings {}

export type SettingName = keyof Settings

/** For a feature's `settings.ts`: adds the values of its settings to the interface of all settings. */
export type ValuesOf<D extends Definitions> = { readonly [Name in keyof D]: D[Name]['default'] }

/** Defines a setting. Use the constructors of schema.ts, so that requests and rows follow the same rules. */
export function setting<const S extends TSchema>(
  schema: S,
  standard: Static<S>,
  about: string,
  more: Pick<Definition<Static<S>>, 'fixed' | 'kept' | 'older'> = {},
): Definition<Static<S>> {
  return { schema, default: standard, about, ...more }
}

/** What becomes of a setting: the program acts on it, only stores and shows it, or takes no value but its default. */
export const effectOf = ({ kept, fixed }: Definition<unknown>): 'enforced' | 'kept' | 'refused' =>
  fixed !== undefined ? 'refused' : kept ? 'kept' : 'enforced'

/** Defines a setting that is stored and sent back, and changes nothing. */
export const settingWithoutEffect = <const S extends TSchema>(
  schema: S,
  standard: Static<S>,
): Definition<Static<S>> => ({ schema, default: standard, about: 'Kept, without an effect.', kept: true })

/** Defines a setting of which only the default can be sent, because anything else would promise what is not there. */
export const refusedSetting = <const S extends TSchema>(
  schema: S,
  standard: Static<S>,
  because: string,
): Definition<Static<S>> => ({
  schema,
  default: standard,
  about: 'Only the default can be sent.',
  fixed: because,
})

/** The settings of all features. */
export const settingDefinitions = new ExtensionPoint<Definitions>('the list of settings')

/**
 * Every application setting by name, in alphabetical order: so answers do not depend on which feature has a setting.
 * @throws when two features define a setting of the same name.
 */
export const definitions: () => ReadonlyMap<string, Definition<unknown>> = settingDefinitions.derive(
  (features) => {
    const all = features.flatMap((settings) => Object.entries(settings))
    const names = all.map(([name]) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`two features define the setting ${twice}`)
    return new Map(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  },
)

/** The definition of one of them. @throws when no feature that is installed has it. */
export function definitionOf(name: string): Definition<unknown> {
  const definition = definitions().get(name)
  if (definition === undefined)
    throw new Error(`${name} is a setting of no feature that app.ts has installed`)
  return definition
}
