import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { measureAlerts } from './alerts.ts'
import { readBaseline, save, without, worse } from './baseline.ts'
import { measureCi } from './ci.ts'
import { measureCliffs } from './cliffs.ts'
import { measureConsole } from './console.ts'
import { measureCrowd } from './crowd.ts'
import { measureErrors } from './errors.ts'
import { measureGit } from './git.ts'
import { measureGrowth } from './growth.ts'
import { measureMail } from './mail.ts'
import { type Effort, type Measure, print } from './measures.ts'
import { measureMergeRequests } from './merge-requests.ts'
import { measureJobs } from './peers.ts'
import { measureMixed } from './mixed.ts'
import { measureRegistry } from './registry.ts'
import { measureRequests } from './requests.ts'
import { measureSsh } from './ssh.ts'
import { measureStart } from './start.ts'
import { measureStorageMoves } from './storage-moves.ts'
import { measureWriters } from './writers.ts'

/**
 * Measures the budgets of docs/decisions/0007-budgets.md, which says how to read the results. Name sections to measure
 * only these. `--quick` for a shorter run with more noise, `--large` for the sections about large databases, `--save`
 * to keep the ratios of this run as the baseline.
 */

interface Section {
  readonly title: string
  readonly large?: true
  readonly measure: (effort: Effort) => Promise<Measure[]>
}

const sections: Readonly<Record<string, Section>> = {
  jobs: {
    title: 'Jobs at 16 connections: share of a bare handler, requests, CPU of a request, P50 / P90 / P99',
    measure: measureJobs,
  },
  requests: {
    title: 'Requests at 8 connections: CPU of one, of all processes; requests, P50 / P90 / P99',
    measure: measureRequests,
  },
  writers: { title: 'Writers, and readers beside them', measure: measureWriters },
  console: { title: 'Pages of the day at 4 connections, and their HTML', measure: measureConsole },
  start: { title: 'Start and memory', measure: measureStart },
  ci: { title: 'Pipelines of a thousand jobs', measure: measureCi },
  alerts: { title: 'Alerts received by one integration', measure: measureAlerts },
  mail: { title: 'Mail', measure: measureMail },
  crowd: { title: 'Telling a crowd', measure: measureCrowd },
  errors: { title: 'Error tracking', measure: measureErrors },
  git: { title: 'Git over HTTP, against git http-backend', large: true, measure: measureGit },
  ssh: { title: 'Git over SSH, against sshd with git alone', large: true, measure: measureSsh },
  'merge-requests': { title: 'Merge requests of 1,000 files', large: true, measure: measureMergeRequests },
  mixed: {
    title: 'Eight minutes of lists, notes and changes at 8 connections: requests a second, P99, memory',
    large: true,
    measure: measureMixed,
  },
  registry: {
    title: 'Pulls through a virtual registry, against a bare server',
    large: true,
    measure: measureRegistry,
  },
  'storage-moves': {
    title: 'Other requests while a large repository moves to another storage',
    large: true,
    measure: measureStorageMoves,
  },
  cliffs: {
    title:
      'Single requests among 200,000 issues: with fresh statistics / with those of before a large import',
    large: true,
    measure: measureCliffs,
  },
  growth: { title: 'Growth', large: true, measure: measureGrowth },
}

const namesOf = (isMeant: (section: Section) => boolean): string =>
  Object.entries(sections)
    .filter(([, section]) => isMeant(section))
    .map(([name]) => name)
    .join(', ')

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.log(`npm run bench -- [--quick] [--large] [--save] [SECTION ...]
  --quick  a shorter run with more noise
  --large  also the sections about large databases: ${namesOf(({ large }) => large === true)}
  --save   keeps the ratios of this run in bench/baseline.json
Sections: ${namesOf(() => true)}`)
  process.exit(0)
}
const unknown = positionals.find((name) => !(name in sections))
if (unknown !== undefined) {
  console.error(`There is no section ${unknown}. Sections: ${namesOf(() => true)}`)
  process.exit(2)
}
const isWanted = ([name, { large }]: [string, Section]) =>
  positionals.length > 0 ? positionals.includes(name) : options.large || !large
const effort: Effort = options.quick ? { seconds: 1, rounds: 2 } : { seconds: 4, rounds: 3 }

const measures: Measure[] = []
for (const [, { title, measure }] of Object.entries(sections).filter(isWanted)) {
  const found = await measure(effort)
  print(title, found)
  measures.push(...found)
}
const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
await writeFile(new URL('latest.json', results), `${JSON.stringify(measures, null, 2)}\n`)

const baseline = await readBaseline()
const lines = worse(measures, baseline)
console.log(`\nWorse than bench/baseline.json: ${lines.length === 0 ? 'nothing' : ''}`)
for (const line of lines) console.log(`  ${line}`)
const missing = without(measures, baseline)
if (missing > 0) console.log(`${missing} ratios are not in it. --save adds them.`)
if (options.save) await save(measures, baseline)
process.exit(measures.every(({ met }) => met) ? 0 : 1)
