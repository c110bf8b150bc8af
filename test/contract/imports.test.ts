import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** What features lean on; none of these may know a feature. */
const ground = ['access', 'db', 'facts', 'features', 'files', 'http', 'jobs', 'settings']
/** Parts of the program around the features. */
const program = ['cli', 'docs', 'instance', 'openapi', 'testing']

const src = new URL('../../src/', import.meta.url)
const files = readdirSync(src, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const textOf = (file: string) => readFileSync(new URL(file, src), 'utf8')
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '')

const imports = files.flatMap((file) =>
  [...textOf(file).matchAll(/from '#([^']+)'/g)].map(([, target = '']) => ({ file, target })),
)

/** Imports that break a rule, as `file → target`. */
const breaking = (rule: (from: string, to: string, target: string) => boolean) =>
  imports
    .filter(({ file, target }) => !rule(folderOf(file), folderOf(target), target))
    .map(({ file, target }) => `${file} → ${target}`)

describe('imports go one way', () => {
  test('the database knows nothing of what is built on it', () => {
    expect(breaking((from, to, target) => from !== 'db' || to === 'db' || target === 'context.ts')).toEqual(
      [],
    )
  })

  test('what all features lean on knows no feature', () => {
    const outside = (to: string) => to === '' || ground.includes(to)
    expect(breaking((from, to) => !ground.includes(from) || outside(to))).toEqual([])
  })

  test('a feature uses another by its verbs, queries and entities, not by its routes or parameters', () => {
    const own = (from: string, to: string) => from === to || ['', ...program].includes(from)
    expect(
      breaking(
        (from, to, target) =>
          own(from, to) || !/\/(?:.*-)?(?:routes|parameters)\.ts$/.test(target) || to === 'http',
      ),
    ).toEqual([])
  })
})

test('only the program reads the environment', () => {
  expect(files.filter((file) => textOf(file).includes('process.env'))).toEqual(['main.ts'])
})

test('every source file is one screenful of purpose: none over 400 lines, half of them below 100', () => {
  const lengths = files
    .filter((file) => !file.endsWith('db/schema.ts'))
    .map((file) => textOf(file).split('\n').length)
    .toSorted((a, b) => a - b)
  expect(lengths.at(-1)).toBeLessThanOrEqual(400)
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(100)
})
