/** A version by Semantic Versioning 2.0.0. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

/** Whether a text is a semantic version of a length that packages may have. */
export const isSemanticVersion = (text: string): boolean => text.length <= 255 && VERSION.test(text)

/** Which of two versions comes first, by Semantic Versioning 2.0.0 §11: negative, zero or positive. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)]
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index += 1) {
    const difference = compareIdentifiers(a.pre[index], b.pre[index])
    if (difference !== 0) return difference
  }
  return 0
}

function partsOf(version: string) {
  const [precedence = ''] = version.split('+')
  const dash = precedence.indexOf('-')
  const [core, pre] = dash === -1 ? [precedence, ''] : [precedence.slice(0, dash), precedence.slice(dash + 1)]
  return { numbers: core.split('.').map(Number), pre: pre === '' ? [] : pre.split('.') }
}

function compareIdentifiers(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}
