import { ExtensionPoint } from '#platform/extension-point.ts'

/** What a client reads when a row would repeat a value that a unique index protects. */
export interface UniqueValue {
  /** The attribute that the client sent. */
  readonly attribute: string
  /** Another attribute that clients read the same text of. */
  readonly also?: string
  /** Instead of the usual sentence. */
  readonly text?: string
  /** The whole message of a 409, where clients expect that instead of an invalid attribute. */
  readonly conflict?: string
}

/** By the name of the unique index. */
export type UniqueValues = Readonly<Record<string, UniqueValue>>

/** The values of all features that no two rows share. */
export const featureUniqueValues = new ExtensionPoint<UniqueValues>('the list of unique values')

/** Each of them by the name of its index. */
export const uniqueValues: () => ReadonlyMap<string, UniqueValue> = featureUniqueValues.derive(
  (features) => new Map(features.flatMap((values) => Object.entries(values))),
)
