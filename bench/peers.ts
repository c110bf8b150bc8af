import { startBare, startForgelet, type Server } from './server.ts'
import { driverCosts } from './driver.ts'
import { type Job, jobs, twentyNotes, twentyNotesOnMentioned, twentyNotesOnMergeRequest } from './jobs.ts'
import { type Comparison, compare } from './load.ts'
import { atLeast, atMost, type Effort, type Measure, reported } from './measures.ts'
import type { Statement } from './serve.ts'

/** What people do often, against bare handlers; and which statements that takes. */
export async function measureJobs(effort: Effort): Promise<Measure[]> {
  await using server = await startForgelet()
  const found: Measure[] = []
  for (const job of jobs) found.push(await againstBare(server, job, effort))
  found.push(await againstRowsAlone(server, effort))
  found.push(await against(twentyNotes, twentyNotesOnMergeRequest, 0.9, server, effort))
  found.push(await against(twentyNotesOnMergeRequest, twentyNotesOnMentioned, 0.35, server, effort))
  return [
    ...found,
    ...jobs.map((job) => statementsOf(server, job)),
    ...authentication(server),
    await driver(server),
  ]
}

const figures = ({ share, perSecond, cpu, percentiles }: Comparison) =>
  `${share.toFixed(2)}   ${perSecond.toFixed(0)}/s   ${cpu.toFixed(0)} µs   ${percentiles.join(' / ')} ms`

async function againstBare(server: Server, job: Job, effort: Effort): Promise<Measure> {
  const { name, body, share: budget } = job
  await using bare = await startBare(server, server.said.statements[name] ?? [])
  const theirs = { url: bare.said.url, ...(body === undefined ? {} : { body }) }
  const found = await compare(server.loadOf(job), theirs, effort)
  return budget === undefined
    ? reported(name, figures(found), { value: found.share, better: 'higher' })
    : atLeast(name, found.share, budget, figures(found))
}

/** The limit: one statement by hand, for the rows and nothing else. */
async function againstRowsAlone(server: Server, effort: Effort): Promise<Measure> {
  const text = `select x.*, u.username, u.name, u.state from notes x join users u on u.id = x.author_id
    where x.noteable_id = (select id from issues where project_id = $1 and iid = 1)
    order by x.created_at desc, x.id desc limit 20`
  await using bare = await startBare(server, [{ text, values: [server.said.world.largeProject] }])
  const found = await compare(server.loadOf(twentyNotes), bare.said, effort)
  return atLeast(
    `${twentyNotes.name}, against one statement for the rows alone`,
    found.share,
    0.4,
    figures(found),
  )
}

/** Notes cost about the same whatever they are on. */
async function against(
  usual: Job,
  other: Job,
  budget: number,
  server: Server,
  effort: Effort,
): Promise<Measure> {
  const found = await compare(server.loadOf(other), server.loadOf(usual), effort)
  return atLeast(`${other.name}, against ${usual.name}`, found.share, budget, figures(found))
}

function statementsOf(server: Server, { name, statements: budget }: Job): Measure {
  const count = server.said.statements[name]?.length ?? 0
  const what = `statements of: ${name}`
  return budget === undefined ? reported(what, String(count)) : atMost(what, count, budget)
}

/** Statements about what proves who is asking: they look a digest up. */
const authenticates = ({ text }: Statement) => /"(access_tokens|oauth_access_tokens|sessions)"/.test(text)
const writes = ({ text }: Statement) => /\b(insert into|update|delete from)\b/i.test(text)

function authentication({ said: { statements } }: Server): Measure[] {
  const reading = jobs.filter(({ body }) => body === undefined).flatMap(({ name }) => statements[name] ?? [])
  const all = Object.values(statements)
  return [
    atMost(
      'statements of one job that find out who is asking',
      Math.max(...all.map((some) => some.filter(authenticates).length)),
      1,
    ),
    atMost('statements that write, of jobs that read', reading.filter(writes).length, 0),
    atMost(
      'statements that write a token or session',
      all.flat().filter((one) => writes(one) && authenticates(one)).length,
      0,
    ),
  ]
}

async function driver({ said: { address } }: Server): Promise<Measure> {
  const { raw, prepared, ours, stock } = await driverCosts(address)
  return {
    what: 'CPU of a 20-row list: raw pg / prepared / ours / stock dialect',
    figure: `${[raw, prepared, ours, stock].map((cost) => cost.toFixed(0)).join(' / ')} µs`,
    budget: 'ours below stock',
    met: ours < stock,
    ratio: { value: ours / raw, better: 'lower' },
  }
}
