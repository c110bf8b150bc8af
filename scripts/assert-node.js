// @ts-check
// The first thing that runs, also in the published package. Older versions of Node.js must understand this file, and say
// one sentence instead of the syntax that they do not know.

/** The oldest major version that runs the program. */
export const OLDEST_NODE = 24

/** What is wrong with the Node.js that runs this; undefined when nothing is. */
export function problemOfNode() {
  const { node } = process.versions
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return undefined
  return `Forgelet needs Node.js ${OLDEST_NODE} or later, and this is ${node} (${process.execPath})`
}
