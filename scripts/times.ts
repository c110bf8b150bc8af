// Writes test/times.json, which orders the tests, from what the last whole runs of `npm test` and `npm run test:deep` took.
// Files that neither has run keep their times.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './built.js'
import { reportOf } from '../test/tiers.ts'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

const path = join(root, 'test/times.json')

/** Few different numbers, so that a file which takes a little longer today changes nothing. */
const STEPS = [1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 130, 200]
const rounded = (seconds: number) => STEPS.findLast((step) => step <= seconds)

const known = new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>))
const reports = process.argv.length > 2 ? process.argv.slice(2) : [reportOf('test'), reportOf('deep')]
const found = reports.filter((report) => existsSync(report))
if (found.length === 0)
  throw new Error('There is no report of a run: run npm test and npm run test:deep first')
for (const report of found) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  for (const { name, startTime, endTime } of testResults) {
    const seconds = rounded((endTime - startTime) / 1000)
    const file = relative(root, name)
    if (seconds === undefined) known.delete(file)
    else known.set(file, seconds)
  }
}
const files = new Set(globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }))
const times = [...known].filter(([file]) => files.has(file)).toSorted(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(path, `${JSON.stringify(Object.fromEntries(times), undefined, 2)}\n`)
console.log(`${path}: ${times.length} files that take more than a second`)
for (const tier of ['deep.', '']) {
  const all = times.filter(([file]) => tier === (/\.(deep\.|)test\.ts$/.exec(file)?.[1] ?? 'long'))
  const sum = all.reduce((total, [, seconds]) => total + seconds, 0)
  const longest = all.toSorted(([, a], [, b]) => b - a).slice(0, 10)
  console.log(`x.${tier}test.ts: about ${sum} s of work; the longest are`)
  for (const [file, seconds] of longest) console.log(`${String(seconds).padStart(5)} s  ${file}`)
}
