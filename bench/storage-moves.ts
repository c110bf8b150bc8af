import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild, temporaryFolder } from './children.ts'
import { repositoryWith } from './git.ts'
import { git } from './git-client.ts'
import { atMost, type Effort, type Measure, reported } from './measures.ts'

// What a move of a large repository to another storage costs everybody else. `STORAGE_MOVE_MEGABYTES=100` is a short run.

const TOKEN = 'glpat-the-token-of-the-bench-of-moves'
const MEGABYTES = Number(process.env['STORAGE_MOVE_MEGABYTES'] ?? 2_000)
/** Requests in a second, whether or not those before were answered. */
const RATE = 50

/** Sends requests at a steady rate until told to stop. @returns how many milliseconds each took */
async function timesOf(
  ask: () => Promise<unknown>,
  isOver: () => boolean | Promise<boolean>,
): Promise<number[]> {
  const times: number[] = []
  const asked: Promise<void>[] = []
  for (let count = 0; count % RATE !== 0 || !(await isOver()); count += 1) {
    const began = performance.now()
    asked.push(ask().then(() => void times.push(performance.now() - began)))
    await pause(1_000 / RATE)
  }
  await Promise.all(asked)
  return times
}

/** The slowest but one in a hundred. */
const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** The P99 of reads of issues and files, during a move, and before and after it. */
export async function measureStorageMoves({ seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string }>('boot.js', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
    FORGELET_STORAGES: `second=${join(folder.path, 'second')}`,
  })
  const { url } = forgelet.said
  const api = async (path: string, body?: Record<string, string>): Promise<{ id: number; state: string }> => {
    const answer = await fetch(`${url}/api/v4${path}`, {
      headers: { 'private-token': TOKEN },
      ...(body && { method: 'POST', body: new URLSearchParams(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: number; state: string }
  }
  const project = async (name: string, more = {}) => api('/projects', { name, ...more })
  const small = await project('small', { initialize_with_readme: 'true' })
  await api(`/projects/${small.id}/issues`, { title: 'It breaks' })
  const large = await project('large')
  const work = await repositoryWith(folder.path, MEGABYTES)
  await git(
    work,
    'push',
    '--quiet',
    `${url.replace('://', `://x:${TOKEN}@`)}/root/large.git`,
    'HEAD:refs/heads/main',
  )
  let turn = 0
  const reads = [`/projects/${small.id}/issues`, `/projects/${small.id}/repository/files/README.md?ref=main`]
  const ask = () => api(reads[turn++ % reads.length] ?? '')
  const until = (milliseconds: number) => {
    const end = performance.now() + milliseconds
    return () => performance.now() > end
  }
  const still = () => timesOf(ask, until(Math.max(20, seconds * 5) * 1_000))
  await timesOf(ask, until(2_000))
  const before = await still()
  const began = performance.now()
  const move = await api(`/projects/${large.id}/repository_storage_moves`, {
    destination_storage_name: 'second',
  })
  const state = async () => (await api(`/project_repository_storage_moves/${move.id}`)).state
  const moving = await timesOf(ask, async () => ['replicated', 'failed'].includes(await state()))
  const took = performance.now() - began
  if ((await state()) === 'failed') throw new Error('the move has failed')
  // What else the machine does may change meanwhile: both sides of the move tell what is usual.
  const [during, without] = [p99(moving), p99([...before, ...(await still())])]
  return [
    reported(`a move of ${MEGABYTES} MB: seconds`, (took / 1_000).toFixed(1)),
    reported('P99 of other requests without a move: milliseconds', without.toFixed(1)),
    reported('P99 of other requests during a move: milliseconds', during.toFixed(1)),
    atMost(
      'P99 of other requests during a move, compared with none',
      during / without,
      1.2,
      (during / without).toFixed(2),
    ),
  ]
}
