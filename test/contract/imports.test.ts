import { describe, expect, test } from 'vitest'
import { districtOf, files, type Import, imports, order, textOf } from '../../scripts/districts.ts'

/** Imports that break a rule, as `file → target`. */
const breaking = (rule: (one: Import) => boolean) =>
  imports.filter((one) => !rule(one)).map(({ from, to }) => `${from} → ${to}`)

/** The folder of a feature, or of a part of the platform. */
const folderOf = (file: string) => file.split('/').slice(0, 2).join('/')

/** The files that import one another in a circle with a file, itself among them; empty when there is none. */
function circleOf(file: string, targets: ReadonlyMap<string, readonly string[]>): string[] {
  const paths = [[file]]
  const seen = new Set<string>()
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of targets.get(path.at(-1) ?? '') ?? []) {
      if (next === file) return path
      if (seen.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return []
}

describe('imports go one way', () => {
  test('a district imports from those below it alone', () => {
    const rank = (file: string) => order.indexOf(districtOf(file))
    expect(breaking(({ from, to }) => rank(to) <= rank(from))).toEqual([])
  })

  test('a runner is a program of its own: of the server it has nothing but tools that stand by themselves', () => {
    const leans = new Set(imports.map(({ from }) => from))
    const isTool = (file: string) => districtOf(file) === 'platform' && !leans.has(file)
    expect(
      breaking(({ from, to }) => districtOf(from) !== 'runner' || districtOf(to) === 'runner' || isTool(to)),
    ).toEqual([])
    const withRunner = breaking(
      ({ from, to }) => districtOf(to) !== 'runner' || /^(?:runner|program)\//.test(from),
    )
    expect(withRunner).toEqual([])
  })

  test('the database knows nothing of what is built on it', () => {
    const ground = [
      'platform/db',
      'platform/shares',
      'platform/context.ts',
      'platform/extension-point.ts',
      'platform/known-texts.ts',
      'platform/make-folder.ts',
    ]
    expect(
      breaking(({ from, to }) => folderOf(from) !== 'platform/db' || ground.includes(folderOf(to))),
    ).toEqual([])
    // How callers share what there is does not depend on what it is.
    expect(
      breaking(({ from, to }) => folderOf(from) !== 'platform/shares' || folderOf(to) === folderOf(from)),
    ).toEqual([])
  })

  test('only what asks the renderer of texts lets HTML into pages as it is', () => {
    const letting = files.filter((file) =>
      /\bcleaned\b[^;]*from '#platform\/http\/html\.ts'/.test(textOf(file)),
    )
    expect(letting).toEqual(['console/frame/api.ts'])
  })

  test('a feature uses another by its verbs, queries and entities, not by its routes or parameters', () => {
    const inner = /(?:^|[/-])(?:routes|parameters)\.ts$/
    expect(
      breaking(
        ({ from, to }) =>
          folderOf(from) === folderOf(to) ||
          districtOf(from) === 'program' ||
          folderOf(to) === 'platform/http' ||
          !inner.test(to),
      ),
    ).toEqual([])
  })

  test('nothing lists features but their district, and no district but app.ts', () => {
    const lists = (file: string) => file.endsWith('/index.ts') && file.split('/').length < 4
    expect(
      breaking(
        ({ from, to }) =>
          !lists(to) ||
          from === `${districtOf(to)}/index.ts` ||
          (from === 'app.ts' && to.split('/').length === 2),
      ),
    ).toEqual([])
  })

  test('no two files import each other, nor more in a circle', () => {
    const targets = new Map<string, string[]>()
    for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
    expect(files.map((file) => circleOf(file, targets)).filter((circle) => circle.length > 0)).toEqual([])
  })
})

test('only the program reads the environment', () => {
  expect(files.filter((file) => textOf(file).includes('process.env'))).toEqual(['main.ts'])
})

test('what makes every start dear is not imported: docs/decisions/0007-budgets.md', () => {
  const dear = /^import (?!type )[^']*from '(?:node:https?|typebox\/value)'/m
  expect(files.filter((file) => dear.test(textOf(file)))).toEqual([])
})

test('every source file is one screenful of purpose: half of them below 100 lines', () => {
  const lengths = files.map((file) => textOf(file).split('\n').length).toSorted((a, b) => a - b)
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(100)
})
