import { Kept } from '#platform/kept.ts'

/** The bytes of manifests that were asked for lately: small, asked for often, and the same for ever under their digest. */
export type RecentBytes = Kept<Buffer>

/** Larger ones are read from the store each time. */
const LARGEST = 512 * 1024

export const recentBytes = (): RecentBytes =>
  new Kept<Buffer>({ most: 32 * 1024 * 1024, mostOfOne: LARGEST, sizeOf: ({ length }) => length })
