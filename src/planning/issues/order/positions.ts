import { MAX_INT4 } from '#platform/http/schema.ts'

/** The distance between positions when there is room. */
export const GAP = 1_024
/** The smallest distance after spreading, so that there is room for a while. */
const ROOMY = 16
const LOWEST = -MAX_INT4
const HIGHEST = MAX_INT4

/** A neighbouring position, or null where the order is open. */
type End = number | null

/** A position between two others; null when there is no room. */
export function positionBetween(before: End, after: End): number | null {
  const [low, high] = around(before, after, 2 * GAP)
  return high - low < 2 ? null : Math.floor((low + high) / 2)
}

/** This many positions between two others, in even steps; null when they would be too close to each other. */
export function spread(count: number, before: End, after: End): number[] | null {
  const [low, high] = around(before, after, (count + 1) * GAP)
  const step = (high - low) / (count + 1)
  return step < ROOMY ? null : Array.from({ length: count }, (_, nth) => Math.floor(low + (nth + 1) * step))
}

/** The range to stay in; at an open end it is as wide as asked. */
function around(before: End, after: End, width: number): [low: number, high: number] {
  const low = before ?? Math.max(LOWEST, (after ?? Math.floor(width / 2)) - width)
  return [low, after ?? Math.min(HIGHEST, low + width)]
}
