import { cpuOf } from './children.ts'
import { type Job, newEvents, twentyEvents, twentyNotes } from './jobs.ts'
import { type Load, sendAll } from './load.ts'
import { atMost, type Effort, type Measure, median } from './measures.ts'
import { startForgelet } from './server.ts'

/** What is measured, and what there are ten million of. */
const grown = [
  [twentyNotes, 'notes'],
  [twentyEvents, 'events'],
  [newEvents, 'events'],
] as const satisfies readonly (readonly [Job, string])[]

/** What a list of 20 costs among ten million, against what it costs among ten thousand. */
export async function measureGrowth({ seconds, rounds }: Effort): Promise<Measure[]> {
  await using small = await startForgelet()
  const sizes = { issues: 12_000, projects: 500 }
  await using big = await startForgelet({ sizes, notes: 10_000_000, events: 10_000_000 })
  const measures: Measure[] = []
  for (const [job, what] of grown) {
    const [few, many]: [number[], number[]] = [[], []]
    for (let round = -1; round < rounds; round += 1) {
      const costs = [await cost(small.loadOf(job), seconds), await cost(big.loadOf(job), seconds)] as const
      if (round < 0) continue
      few.push(costs[0])
      many.push(costs[1])
    }
    const growth = median(many) / median(few)
    const figure = `${growth.toFixed(2)} (${median(few).toFixed(0)} and ${median(many).toFixed(0)} µs)`
    const name = `CPU of ${job.name} among 10 million ${what}, against 10 thousand`
    measures.push({ ...atMost(name, growth, 1.2, figure), ratio: { value: growth, better: 'lower' } })
  }
  return measures
}

/** CPU microseconds of a request, of Node and PostgreSQL. */
async function cost({ pid, ...load }: Load & { readonly pid: number }, seconds: number): Promise<number> {
  const before = await cpuOf(pid)
  const { perSecond } = await sendAll(load, seconds)
  return ((await cpuOf(pid)) - before) / (perSecond * seconds)
}
