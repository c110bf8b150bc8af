import { cpuOf } from './children.ts'
import { twentyNotes } from './jobs.ts'
import { type Load, sendAll } from './load.ts'
import { atMost, type Effort, type Measure, median } from './measures.ts'
import { startForgelet } from './server.ts'

/** What a list of 20 notes costs among ten million notes, against what it costs among ten thousand. */
export async function measureGrowth({ seconds, rounds }: Effort): Promise<Measure[]> {
  await using small = await startForgelet()
  await using big = await startForgelet({ sizes: { issues: 12_000, projects: 500 }, notes: 10_000_000 })
  const [few, many]: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round += 1) {
    const costs = [
      await cost(small.loadOf(twentyNotes), seconds),
      await cost(big.loadOf(twentyNotes), seconds),
    ] as const
    if (round < 0) continue
    few.push(costs[0])
    many.push(costs[1])
  }
  const growth = median(many) / median(few)
  const figure = `${growth.toFixed(2)} (${median(few).toFixed(0)} and ${median(many).toFixed(0)} µs)`
  const measure = atMost('CPU of 20 notes among 10 million notes, against 10 thousand', growth, 1.2, figure)
  return [{ ...measure, ratio: { value: growth, better: 'lower' } }]
}

/** CPU microseconds of a request, of Node and PostgreSQL. */
async function cost({ pid, ...load }: Load & { readonly pid: number }, seconds: number): Promise<number> {
  const before = await cpuOf(pid)
  const { perSecond } = await sendAll(load, seconds)
  return ((await cpuOf(pid)) - before) / (perSecond * seconds)
}
