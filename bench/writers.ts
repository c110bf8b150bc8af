import { NOTE, twentyNotes, type World } from './jobs.ts'
import { type Load, send } from './load.ts'
import { atLeast, type Effort, type Measure, median, reported } from './measures.ts'
import { type Server, startForgelet } from './server.ts'

/** Where people write at once. */
interface Place {
  readonly name: string
  readonly as: 'member' | 'joiner'
  /** The issues, by project and number. Each connection writes on one of them. */
  readonly issues: (world: World) => readonly (readonly [project: number, iid: number])[]
}

const fifty = Array.from({ length: 50 }, (_, index) => index)

const issuesOfOneProject: Place = {
  name: 'fifty issues of one project',
  as: 'member',
  issues: ({ largeProject }) => fifty.map((index) => [largeProject, index + 3]),
}

const places: readonly Place[] = [
  { name: 'one issue', as: 'member', issues: ({ largeProject }) => [[largeProject, 2]] },
  issuesOfOneProject,
  {
    name: 'fifty projects',
    as: 'joiner',
    issues: ({ joined }) => fifty.map((index) => [joined[index] ?? 0, 1]),
  },
]

const WRITERS = [1, 10, 50] as const

/** New notes a second by few and by many writers, and what many writers leave for readers. */
export async function measureWriters(effort: Effort): Promise<Measure[]> {
  await using server = await startForgelet()
  for (const place of places) await send(writing(server, place), effort.seconds)
  const found: { measure: Measure; most: number }[] = []
  for (const place of places) found.push(await ratesOf(server, place, effort))
  const [issue = 0, project = 0, projects = 0] = found.map(({ most }) => most)
  return [
    ...found.map(({ measure }) => measure),
    atLeast('50 writers on one project, against fifty projects', project / projects, 0.9),
    reported('50 writers on one issue, against fifty projects', (issue / projects).toFixed(2), {
      value: issue / projects,
      better: 'higher',
    }),
    await readersUnder(server, effort),
  ]
}

function writing(server: Server, { as, issues }: Place): Load {
  const paths = issues(server.said.world).map(
    ([project, iid]) => `/api/v4/projects/${project}/issues/${iid}/notes`,
  )
  return { ...server.load(as, '', NOTE), paths }
}

async function ratesOf(server: Server, place: Place, { seconds, rounds }: Effort) {
  const load = writing(server, place)
  const rates: number[] = []
  let refused = 0
  for (const writers of WRITERS) {
    const outcomes = []
    for (let round = 0; round < rounds; round += 1) outcomes.push(await send(load, seconds, writers))
    rates.push(median(outcomes.map(({ perSecond }) => perSecond)))
    refused += outcomes.reduce((sum, outcome) => sum + outcome.refused, 0)
  }
  const figure = rates.map((rate) => rate.toFixed(0)).join(' / ')
  const what = `notes a second by ${WRITERS.join(', ')} writers: ${place.name}`
  return {
    measure: reported(what, refused === 0 ? figure : `${figure} (${refused} refused)`),
    most: rates.at(-1) ?? 0,
  }
}

/** Lists of 20 notes, alone and while 50 people write on other issues of the project. */
async function readersUnder(server: Server, { seconds, rounds }: Effort): Promise<Measure> {
  const reading = server.loadOf(twentyNotes)
  const load = writing(server, issuesOfOneProject)
  const shares: number[] = []
  const [alone, beside]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const { perSecond: before } = await send(reading, seconds)
    const [{ perSecond: meanwhile }] = await Promise.all([send(reading, seconds), send(load, seconds, 50)])
    alone.push(before)
    beside.push(meanwhile)
    shares.push(meanwhile / before)
  }
  const share = median(shares)
  return atLeast(
    'lists of 20 notes beside 50 writers, against alone',
    share,
    0.4,
    `${share.toFixed(2)}   ${median(alone).toFixed(0)} and ${median(beside).toFixed(0)}/s`,
  )
}
