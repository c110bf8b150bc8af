import { manifestTypes } from '../remote/media-types.ts'

/** The most media types that are looked at, and the longest one. */
const MOST = 12
const LONGEST = 80

/** The media types of manifests that a client accepts, in one order; all that are known for a client that takes anything. */
export function readAccept(header: string | undefined): readonly string[] {
  const types = (header ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '')
    .filter((type) => type.length <= LONGEST && /^[\w.+*-]+\/[\w.+*-]+$/.test(type))
    .slice(0, MOST)
  const isAny = types.length === 0 || types.some((type) => type.includes('*'))
  return [
    ...new Set(isAny ? [...types.filter((type) => !type.includes('*')), ...manifestTypes] : types),
  ].toSorted()
}
