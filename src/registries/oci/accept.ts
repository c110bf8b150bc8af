import { manifestTypes } from './media-types.ts'

/** The most media types that are looked at, and the longest one: all together fit where they are kept. */
const MAX_MEDIA_TYPES = 12
const MAX_MEDIA_TYPE = 80

/** The media types of manifests that a client accepts, in one order; all that are known for a client that takes anything. */
export function readAccept(header: string | undefined): readonly string[] {
  const types = (header ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '')
    .filter((type) => type.length <= MAX_MEDIA_TYPE && /^[\w.+*-]+\/[\w.+*-]+$/.test(type))
  const named = types.filter((type) => !type.includes('*'))
  const isAny = types.length === 0 || named.length < types.length
  const accepted = isAny ? [...manifestTypes, ...named] : named
  return [...new Set(accepted)].slice(0, MAX_MEDIA_TYPES).toSorted()
}
