import { expect, test } from 'vitest'
import { files, textOf } from '../../scripts/districts.ts'

// `list.push(...others)` puts each value on the stack: a text with 125,000 references was a "Maximum call stack size
// exceeded". src/platform/sequences.ts does the same for any number of values.

const CALLS =
  /(?:\.(?:push|unshift|splice|concat)|Math\.(?:max|min)|String\.from(?:CharCode|CodePoint)|Array\.of)\(/g

/** Whether a list is spread into the arguments of the call whose parenthesis opens before a position. */
function spreads(text: string, from: number): boolean {
  let depth = 0
  let begins = true
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (depth === 0 && begins && text.startsWith('...', at)) return true
    if (depth === 0 && character === ')') return false
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    if (!/\s/.test(character)) begins = depth === 0 && character === ','
  }
  return false
}

/** The calls of a text that spread a list, each as its line. */
function spreading(text: string): number[] {
  const calls = [...text.matchAll(CALLS)].filter((call) => spreads(text, call.index + call[0].length))
  return calls.map(({ index }) => text.slice(0, index).split('\n').length)
}

test('the form is recognized wherever it stands among the arguments, and not inside of them', () => {
  const bad = ['a.push(...b)', 'a.splice(0, 1,\n ...b)', 'Math.max(0, ...b)', 'String.fromCharCode(\n...b)']
  const good = [
    'a.push({ ...b })',
    'a.push([...b], f(...c))',
    'record(tx, ...facts)',
    'Math.max(a, b) + [...c]',
  ]
  expect(bad.map((text) => spreading(text))).toEqual(bad.map(() => [1]))
  expect(good.flatMap((text) => spreading(text))).toEqual([])
})

test('no list is spread into the arguments of a call that takes any number of them', () => {
  const found = files.flatMap((file) => spreading(textOf(file)).map((line) => `src/${file}:${line}`))
  expect(found).toEqual([])
})
