import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf, startChild, throughput } from './children.ts'
import { driverCosts } from './driver.ts'

/**
 * Measures the budgets of docs/decisions/0007-budgets.md. Ratios are taken in one run, side by side; times and
 * sizes are reported. `--quick` for a shorter run with more noise.
 */

interface Measure {
  readonly what: string
  readonly figure: string
  readonly budget: string
  readonly met: boolean
}

const quick = process.argv.includes('--quick')
const seconds = quick ? 2 : 4
const rounds = quick ? 2 : 4

interface Served {
  url: string
  token: string
  statements: { text: string; values: unknown[] }[]
  address: { host: string; port: number; user: string; database: string }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function measureLists(): Promise<Measure[]> {
  const forgelet = await startChild<Served>('forgelet.ts', [])
  const { url, token, statements, address } = forgelet.said
  const rows = `select l.*, true as is_project_label from labels l
    where l.namespace_id = (select project_namespace_id from projects where id = 1) order by l.name, l.id limit 20`
  const same = await startChild<{ url: string }>('bare.ts', [JSON.stringify({ address, statements })])
  const limit = await startChild<{ url: string }>('bare.ts', [
    JSON.stringify({ address, statements: [{ text: rows, values: [] }] }),
  ])
  try {
    await pause(500)
    const idle = await memoryOf(forgelet.process.pid ?? 0)
    const found = { ours: [] as number[], same: [] as number[], limit: [] as number[] }
    const headers = { 'private-token': token }
    for (let round = -1; round < rounds; round += 1) {
      const ours = await throughput(url, headers, seconds)
      const bare = await throughput(same.said.url, {}, seconds)
      const most = await throughput(limit.said.url, {}, seconds)
      // The first round warms all three up.
      if (round < 0) continue
      found.ours.push(ours / bare)
      found.same.push(bare)
      found.limit.push(ours / most)
    }
    const driver = await driverCosts(address)
    const [sameRatio, limitRatio] = [median(found.ours), median(found.limit)]
    return [
      {
        what: 'a list of 20 labels, against a bare handler with the same statements',
        figure: sameRatio.toFixed(2),
        budget: '≥ 0.8',
        met: sameRatio >= 0.8,
      },
      {
        what: 'the same, against one hand-written statement for the rows alone',
        figure: limitRatio.toFixed(2),
        budget: '≥ 0.5',
        met: limitRatio >= 0.5,
      },
      {
        what: 'statements for a list of labels',
        figure: String(statements.length),
        budget: '≤ 4',
        met: statements.length <= 4,
      },
      {
        what: 'driver, CPU of a 20-row list: raw pg / prepared / ours / stock dialect (µs)',
        figure: [driver.raw, driver.prepared, driver.ours, driver.stock]
          .map((cost) => cost.toFixed(0))
          .join(' / '),
        budget: 'ours below stock',
        met: driver.ours < driver.stock,
      },
      {
        what: 'memory after the first requests, Node and PostgreSQL (MB, PSS)',
        figure: idle.toFixed(0),
        budget: '≤ 200',
        met: idle <= 200,
      },
    ]
  } finally {
    for (const child of [forgelet, same, limit]) await child.stop()
  }
}

async function measureBoot(): Promise<Measure[]> {
  const data = await mkdtemp(join(tmpdir(), 'forgelet-bench-'))
  try {
    const boot = async () => {
      const child = await startChild<unknown>('boot.ts', [], {
        FORGELET_DATA: join(data, 'data'),
        FORGELET_PORT: '0',
      })
      child.process.kill('SIGTERM')
      await new Promise((resolve) => child.process.once('exit', resolve))
      return child.ms
    }
    const first = await boot()
    const later = median([await boot(), await boot(), await boot()])
    return [
      {
        what: 'first boot, initdb and migrations included (ms)',
        figure: first.toFixed(0),
        budget: '< 2500',
        met: first < 2500,
      },
      { what: 'later boot (ms)', figure: later.toFixed(0), budget: '< 1000', met: later < 1000 },
    ]
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

const measures = [...(await measureLists()), ...(await measureBoot())]
const width = Math.max(...measures.map(({ what }) => what.length))
for (const { what, figure, budget, met } of measures) {
  console.log(`${met ? '✓' : '✗'} ${what.padEnd(width)}  ${figure.padStart(18)}  ${budget}`)
}
const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
await writeFile(new URL('latest.json', results), `${JSON.stringify(measures, null, 2)}\n`)
process.exit(measures.every(({ met }) => met) ? 0 : 1)
