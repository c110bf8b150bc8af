import { ExtensionPoint } from '#platform/extension-point.ts'

/** What is known of a kind of fact, besides its name. The type holds what each such fact tells. */
export interface Definition<Details> {
  /** Whether it counts as activity in the project where it happened. */
  readonly activity: boolean
  /** Never set; it carries the type. */
  readonly details?: Details
}

/** The facts that a feature records: a noun and what was done to it. */
export type Definitions = Readonly<Record<string, Definition<unknown>>>

/** For a feature's `facts.ts`: adds what its facts tell to the interface of all facts. */
export type DetailsOf<D extends Definitions> = {
  readonly [Name in keyof D]: D[Name] extends Definition<infer Details> ? Details : never
}

/**
 * A kind of fact. Details hold what a reader of the fact needs later and could no longer look up (old values, names
 * of what is gone), never a secret. Names stay for ever.
 */
export const fact = <Details>(): Definition<Details> => ({ activity: false })

/** The same, for what counts as activity in its project. */
export const activity = <Details>(): Definition<Details> => ({ activity: true })

/** A fact that tells no more than its name. */
export type Nothing = Record<string, never>

/** What something was called before, and is called now. */
export interface Renamed {
  readonly from: string
  readonly to: string
}

/** The facts of all features. */
export const factDefinitions = new ExtensionPoint<Definitions>('the list of facts')
