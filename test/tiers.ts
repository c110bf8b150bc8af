import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How much a run tries, which is the mode of Vitest. The name of a file says where it belongs: `x.test.ts` to `npm test`,
 * `x.deep.test.ts` to `npm run test:deep`, and `x.long.test.ts` to `npm run test:long`.
 */
export type Tier = 'test' | 'deep' | 'long'

const root = join(import.meta.dirname, '..')
const TESTS = ['src/**/*.test.ts', 'test/**/*.test.ts']

/** Where a whole run leaves its report, in the form of Jest. */
export const reportOf = (tier: Tier) => join(root, `node_modules/.cache/tests/report-${tier}.json`)

/** The files and folders that the command line names, or parts of their names. */
export const words = process.argv.slice(3).filter((word, n, all) => {
  const mayBelongTo = all[n - 1]?.startsWith('-') === true && all[n - 1]?.includes('=') === false
  return !word.startsWith('-') && (!mayBelongTo || existsSync(join(root, word)))
})

/** Whether a run tries all that its tier has. */
export const isWhole =
  process.argv[2] === 'run' &&
  words.length === 0 &&
  !process.argv.some((word) => /^(-t|--testNamePattern)\b/.test(word))

/** The tier of the mode that Vitest runs in. */
export const tierOf = (mode: string): Tier => (mode === 'deep' || mode === 'long' ? mode : 'test')

/**
 * The files that a run is about. Without words, they are those of its tier, and so they are in folders; a folder that has
 * none of them has all its tests run, and so has whoever names files.
 */
export function filesOf(tier: Tier, named: readonly string[] = words): string[] {
  const files = globSync(TESTS, { cwd: root }).toSorted()
  const chosen = named.flatMap((word) => {
    const found = files.filter((file) => file.includes(word))
    const usual = isFolder(word) ? found.filter((file) => belongsTo(tier, file)) : []
    return usual.length > 0 ? usual : found
  })
  return chosen.length > 0 ? [...new Set(chosen)] : files.filter((file) => belongsTo(tier, file))
}

const isFolder = (word: string) =>
  statSync(join(root, word), { throwIfNoEntry: false })?.isDirectory() === true

function belongsTo(tier: Tier, file: string): boolean {
  const [, suffix = 'test'] = /\.(deep|long)\.test\.ts$/.exec(file) ?? []
  if (tier === suffix) return true
  // Some tests have more to do where there is time.
  return tier === 'long' && readFileSync(join(root, file), 'utf8').includes(`from '#test/long.ts'`)
}
