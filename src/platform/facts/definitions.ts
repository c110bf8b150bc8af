import { ExtensionPoint } from '#platform/extension-point.ts'

/** The definition of a kind of fact, without its name. The type parameter holds the details of each such fact. */
export interface Definition<Details> {
  /** Whether the fact counts as activity in the project where it happened. */
  readonly activity: boolean
  /** Never set; it carries the type. */
  readonly details?: Details
}

/** The facts that a feature records: a noun and what was done to it. */
export type Definitions = Readonly<Record<string, Definition<unknown>>>

/** For a feature's `facts.ts`: adds the details of its facts to the interface of all facts. */
export type DetailsOf<D extends Definitions> = {
  readonly [Name in keyof D]: D[Name] extends Definition<infer Details> ? Details : never
}

/**
 * A kind of fact. Details hold what readers of the fact need later and could no longer look up (old values, names of
 * deleted things), never a secret. Names never change.
 */
export const fact = <Details>(): Definition<Details> => ({ activity: false })

/** The same, for a fact that counts as activity in its project. */
export const activity = <Details>(): Definition<Details> => ({ activity: true })

/** A fact without details. */
export type Nothing = Record<string, never>

/** The former and the present name of something. */
export interface Renamed {
  readonly from: string
  readonly to: string
}

/** The facts of all features. */
export const factDefinitions = new ExtensionPoint<Definitions>('the list of facts')
