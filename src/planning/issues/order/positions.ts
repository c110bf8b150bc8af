import { MAX_INT4 } from '#platform/http/schema.ts'

/** How far apart positions are when there is room. */
export const GAP = 1_024
/** How far apart they are at least after they were spread anew, so that this lasts for a while. */
const ROOMY = 16
const LOWEST = -MAX_INT4
const HIGHEST = MAX_INT4

/** A position of something, or null for no end. */
type End = number | null

/** A position between two others; null when there is no room. */
export function positionBetween(before: End, after: End): number | null {
  const [low, high] = around(before, after, 2 * GAP)
  return high - low < 2 ? null : Math.floor((low + high) / 2)
}

/** That many positions between two others, in even steps; null when they would be too near each other. */
export function spread(count: number, before: End, after: End): number[] | null {
  const [low, high] = around(before, after, (count + 1) * GAP)
  const step = (high - low) / (count + 1)
  return step < ROOMY ? null : Array.from({ length: count }, (_, nth) => Math.floor(low + (nth + 1) * step))
}

/** Where to stay between; as wide as asked at an open end. */
function around(before: End, after: End, width: number): [low: number, high: number] {
  const low = before ?? Math.max(LOWEST, (after ?? Math.floor(width / 2)) - width)
  return [low, after ?? Math.min(HIGHEST, low + width)]
}
