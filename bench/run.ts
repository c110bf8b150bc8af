import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { type Child, cpuOfRequest, type Load, memoryOf, startChild, throughput } from './children.ts'
import { driverCosts } from './driver.ts'

/**
 * Measures the budgets of docs/decisions/0007-budgets.md. Ratios are taken in one run, side by side; times and
 * sizes are reported. `--quick` for a shorter run with more noise, `--large` to see what ten million notes cost.
 */

interface Measure {
  readonly what: string
  readonly figure: string
  readonly budget: string
  readonly met: boolean
}

const { quick, large } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, large: { type: 'boolean', default: false } },
}).values
const seconds = quick ? 2 : 4
const rounds = quick ? 2 : 4

type Statements = { text: string; values: unknown[] }[]

/** What bench/forgelet.ts says of itself. */
interface Served {
  readonly url: string
  readonly token: string
  readonly body: string
  readonly list: Statements
  readonly create: Statements
  readonly address: { host: string; port: number; user: string; password: string; database: string }
}

/** Statements about what proves who is asking: they look a digest up. */
const authenticates = ({ text }: Statements[number]) =>
  /"(access_tokens|oauth_access_tokens|sessions)"/.test(text)
const writes = ({ text }: Statements[number]) => /\b(insert into|update|delete from)\b/i.test(text)

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const atLeast = (what: string, ratio: number, budget: number): Measure => ({
  what,
  figure: ratio.toFixed(2),
  budget: `≥ ${budget}`,
  met: ratio >= budget,
})

const atMost = (what: string, count: number, budget: number, figure = String(count)): Measure => ({
  what,
  figure,
  budget: `≤ ${budget}`,
  met: count <= budget,
})

/** What share of the second's throughput the first reaches: the median of rounds side by side, after one to warm up. */
async function ratioOf(ours: Load, theirs: Load): Promise<number> {
  const found: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const ratio = (await throughput(ours, seconds)) / (await throughput(theirs, seconds))
    if (round >= 0) found.push(ratio)
  }
  return median(found)
}

const bare = (address: Served['address'], statements: Statements) =>
  startChild<{ url: string }>('bare.ts', [JSON.stringify({ address, statements })])

const listOf = ({ said: { url, token } }: Child<Served>): Load => ({
  url,
  headers: { 'private-token': token },
})

async function measureNotes(): Promise<Measure[]> {
  const forgelet = await startChild<Served>('forgelet.ts', ['10000'])
  const { list, create, address, body } = forgelet.said
  const rows = `select x.*, u.username, u.name, u.state from notes x join users u on u.id = x.author_id
    where x.noteable_id = 1 order by x.created_at desc, x.id desc limit 20`
  const same = await bare(address, list)
  const limit = await bare(address, [{ text: rows, values: [] }])
  const sameWrite = await bare(address, create)
  try {
    const listing = listOf(forgelet)
    const writing = { ...listing, body }
    const measures = [
      atLeast(
        'a list of 20 notes, against a bare handler with the same statements',
        await ratioOf(listing, same.said),
        0.8,
      ),
      atLeast(
        'the same, against one hand-written statement for the rows alone',
        await ratioOf(listing, limit.said),
        0.5,
      ),
      atLeast(
        'a new note, against a bare handler with the same statements',
        await ratioOf(writing, { ...sameWrite.said, body }),
        0.8,
      ),
      atMost('statements for a list of notes', list.length, 4),
      atMost('of these, statements that find out who is asking', list.filter(authenticates).length, 1),
      atMost('of these, statements that write', list.filter(writes).length, 0),
      atMost(
        'statements of a new note that write a token, session or user',
        create.filter((one) => writes(one) && authenticates(one)).length,
        0,
      ),
      {
        what: 'statements for a new note, beside begin and commit',
        figure: String(create.length),
        budget: 'reported',
        met: true,
      },
    ]
    const driver = await driverCosts(address)
    const costs = [driver.raw, driver.prepared, driver.ours, driver.stock]
    return [
      ...measures,
      ...(await measureGrowth()),
      {
        what: 'driver, CPU of a 20-row list: raw pg / prepared / ours / stock dialect (µs)',
        figure: costs.map((cost) => cost.toFixed(0)).join(' / '),
        budget: 'ours below stock',
        met: driver.ours < driver.stock,
      },
    ]
  } finally {
    for (const child of [forgelet, same, limit, sameWrite]) await child.stop()
  }
}

/** CPU of a list among ten thousand notes and, when asked for, among ten million. */
async function measureGrowth(): Promise<Measure[]> {
  // Of their own: the other has had notes added to the issue that is asked.
  const small = await startChild<Served>('forgelet.ts', ['10000'])
  if (large) console.log('making ten million notes, which takes some minutes …')
  const big = large ? await startChild<Served>('forgelet.ts', ['10000000']) : undefined
  try {
    const [few, many]: [number[], number[]] = [[], []]
    for (let round = -1; round < rounds; round += 1) {
      const cost = await cpuOfRequest(small.process, listOf(small), seconds)
      const larger = big && (await cpuOfRequest(big.process, listOf(big), seconds))
      if (round < 0) continue
      few.push(cost)
      if (larger !== undefined) many.push(larger)
    }
    const figure = `${median(few).toFixed(0)} µs`
    if (!large)
      return [
        {
          what: 'CPU of a list, Node and PostgreSQL, among 10 thousand notes',
          figure,
          budget: 'reported',
          met: true,
        },
      ]
    const growth = median(many) / median(few)
    const found = `${growth.toFixed(2)} (${figure}, ${median(many).toFixed(0)} µs)`
    return [atMost('CPU of a list among 10 million notes, against 10 thousand', growth, 1.2, found)]
  } finally {
    await small.stop()
    await big?.stop()
  }
}

async function measureBoot(): Promise<Measure[]> {
  const data = await mkdtemp(join(tmpdir(), 'forgelet-bench-'))
  const started = () =>
    startChild<{ url: string }>('boot.ts', [], {
      FORGELET_DATA: join(data, 'data'),
      FORGELET_PORT: '0',
      // As src/main.ts keeps compiled code; empty at the first boot.
      NODE_COMPILE_CACHE: join(data, 'compiled'),
    })
  try {
    const boot = async () => {
      const child = await started()
      // The code is written when the process has nothing to do.
      await pause(500)
      child.process.kill('SIGTERM')
      await new Promise((resolve) => child.process.once('exit', resolve))
      return child.ms
    }
    const first = await boot()
    const later = median([await boot(), await boot(), await boot()])
    const idle = await idleMemory(await started())
    return [
      {
        what: 'first boot, initdb and migrations included (ms)',
        figure: first.toFixed(0),
        budget: '< 2500',
        met: first < 2500,
      },
      { what: 'later boot (ms)', figure: later.toFixed(0), budget: '< 1000', met: later < 1000 },
      atMost('memory after the first requests, Node and PostgreSQL (MB, PSS)', idle, 200, idle.toFixed(0)),
    ]
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** Of an instance that has answered a few requests and has nothing to do. */
async function idleMemory(child: Child<{ url: string }>): Promise<number> {
  const { url } = child.said
  try {
    for (const path of ['projects', 'groups', 'topics', 'users?username=root', 'version'])
      await (await fetch(`${url}/api/v4/${path}`)).text()
    await pause(1_000)
    return await memoryOf(child.process.pid ?? 0)
  } finally {
    await child.stop()
  }
}

const measures = [...(await measureNotes()), ...(await measureBoot())]
const width = Math.max(...measures.map(({ what }) => what.length))
for (const { what, figure, budget, met } of measures) {
  console.log(`${met ? '✓' : '✗'} ${what.padEnd(width)}  ${figure.padStart(18)}  ${budget}`)
}
const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
await writeFile(new URL('latest.json', results), `${JSON.stringify(measures, null, 2)}\n`)
process.exit(measures.every(({ met }) => met) ? 0 : 1)
