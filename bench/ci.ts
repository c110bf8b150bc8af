import { readFile } from 'node:fs/promises'
import { startChild, temporaryFolder } from './children.ts'
import { atMost, type Effort, type Measure, median, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-ci'
const JOBS = 1_000

/** About 200 kB: a job of five lines, a thousand times. */
const CONFIG = `stages: [build, test]\n${Array.from(
  { length: JOBS },
  (_, at) => `job-${at}:
  stage: ${at % 2 === 0 ? 'build' : 'test'}
  variables: { NUMBER: "${at}", KIND: "one of a thousand jobs" }
  script: [make part-${at}, "make test PART=${at} REPORT=reports/part-${at}.xml"]
  artifacts: { paths: [reports/part-${at}.xml] }
`,
).join('')}`

/** Processor time of the first thread of a process, in milliseconds: the one that answers requests. */
async function firstThread(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return ticks * 10
}

/** Pipelines of a thousand jobs: made, and gone on with. */
export async function measureCi({ rounds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string; pid: number }>('boot.js', [], {
    FORGELET_DATA: folder.path,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const { url, pid } = forgelet.said
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${answer.status} from ${path}: ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
  const idOf = (value: unknown): number =>
    typeof value === 'object' && value !== null && 'id' in value ? Number(value.id) : 0
  const project = `/projects/${idOf(await ask('POST', '/projects', { name: 'Bench' }))}`
  await ask('POST', `${project}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: CONFIG,
    commit_message: 'Run [ci skip]',
  })
  const times: number[] = []
  const threads: number[] = []
  const cancels: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const [began, thread] = [performance.now(), await firstThread(pid)]
    const id = idOf(await ask('POST', `${project}/pipeline`, { ref: 'main' }))
    if (round > 0) {
      times.push(performance.now() - began)
      threads.push((await firstThread(pid)) - thread)
    }
    const canceled = performance.now()
    await ask('POST', `${project}/pipelines/${id}/cancel`)
    if (round > 0) cancels.push(performance.now() - canceled)
  }
  const [time, thread] = [Math.round(median(times)), Math.round(median(threads))]
  return [
    atMost(`a pipeline of ${JOBS} jobs`, time, 1_500, `${time} ms`),
    atMost('of that, the thread of the server', thread, 100, `${thread} ms`),
    reported('all its jobs canceled', `${Math.round(median(cancels))} ms`),
    reported('the file', `${Math.round(CONFIG.length / 1_000)} kB`),
  ]
}
