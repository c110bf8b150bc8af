/** `package@1.2.3-rc.1+build`, as SDKs name releases; the package may be missing. */
const VERSION =
  /^(?:(?<name>[^@]{1,200})@)?v?(?<numbers>\d{1,9}(?:\.\d{1,9}){1,3})(?:-(?<pre>[\w.-]{1,100}))?(?:\+[\w.-]{0,100})?$/

/**
 * Which of two releases is newer, by their numbers: below 0 if the first is older.
 * @returns undefined when they cannot be compared that way.
 */
export function compareReleases(one: string, other: string): number | undefined {
  const [a, b] = [VERSION.exec(one)?.groups, VERSION.exec(other)?.groups]
  if (a === undefined || b === undefined || a['name'] !== b['name']) return undefined
  const numbers = (text = '') => text.split('.').map(Number)
  const [left, right] = [numbers(a['numbers']), numbers(b['numbers'])]
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  const [before, after] = [a['pre'], b['pre']]
  if (before === after) return 0
  // A release comes after what led to it.
  if (before === undefined || after === undefined) return before === undefined ? 1 : -1
  return before.localeCompare(after, 'en', { numeric: true })
}

/** When a release was first heard of, as text that can be compared. */
export type FirstSeen = ReadonlyMap<string, string>

/**
 * Whether an event shows that an error is back although it was resolved in a release: it comes from that release or a
 * later one. Where numbers do not tell, the order in which releases were first heard of does.
 */
export function isBackIn(release: string | undefined, resolvedIn: string, firstSeen: FirstSeen): boolean {
  if (release === undefined) return false
  if (release === resolvedIn) return true
  const order = compareReleases(release, resolvedIn)
  if (order !== undefined) return order >= 0
  const [heard, resolved] = [firstSeen.get(release), firstSeen.get(resolvedIn)]
  // A release of which nobody has heard yet comes after all others.
  return heard !== undefined && resolved !== undefined && heard > resolved
}
