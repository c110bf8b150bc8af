const DAY = 86_400

/** Seconds of each unit, by what it may be called. */
const units: readonly (readonly [names: RegExp, seconds: number])[] = [
  [/^(?:s|sec|seconds?)$/, 1],
  [/^(?:m|min|minutes?)$/, 60],
  [/^(?:h|hours?)$/, 3_600],
  [/^(?:d|days?)$/, DAY],
  [/^(?:w|weeks?)$/, 7 * DAY],
  [/^(?:mo|months?)$/, 30 * DAY],
  [/^(?:y|years?)$/, 365 * DAY],
]

/** Seconds of a duration such as `1h`, `7d` or `3month`; undefined for what is none. */
export function readDuration(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d{1,6})\s*([a-z]{1,8})\s*$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const seconds = units.find(([names]) => names.test(unit))?.[1]
  return seconds === undefined ? undefined : Number(count) * seconds
}
