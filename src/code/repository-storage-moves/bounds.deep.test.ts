import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { forgelet } from '#test/program/in-process.ts'
import { w } from '#test/world.ts'
import { moveWatchers } from './steps.ts'
import { finished, holdAt, moveProject, projectWithCode } from './test-support.ts'

// How much moves may take from everybody else, and where one sees how far they are.

const set = (settings: object) => w.root.put('/application/settings', settings)
beforeAll(async () => void (await set({ repository_storage_moves_source_retention: 0 })))
afterAll(() =>
  set({
    repository_storage_moves_source_retention: 30,
    repository_storage_moves_bandwidth: 25,
    repository_storage_moves_at_once: 1,
  }),
)

/** When each move did a step. */
function watchSteps() {
  const steps: { readonly step: string; readonly move: number; readonly at: number }[] = []
  const watching = moveWatchers.add((step, move) => void steps.push({ step, move, at: performance.now() }))
  return { steps, [Symbol.dispose]: () => watching[Symbol.dispose]() }
}

test('a move copies no more in a second than the setting says, and tells how far it is', async () => {
  const MEGABYTES = 3
  const project = await w.project()
  const files = { 'random.bin': randomBytes(MEGABYTES * 1024 * 1024) }
  await importInto(project, commits({ files }))
  await set({ repository_storage_moves_bandwidth: 1 })
  using watched = watchSteps()
  using hold = holdAt('copied')
  const move = await moveProject(project)
  await hold.at
  const at = (wanted: string) => watched.steps.find(({ step }) => step === wanted)?.at ?? 0
  const seconds = (at('copied') - at('drained')) / 1_000
  expect(seconds).toBeGreaterThan(MEGABYTES - 0.5)

  const { out } = await forgelet(['storage', 'status'], w.environment)
  expect(out).toMatch(/^default at .*: \d+ repositories, [\d.]+ MB, weight 100; usable$/m)
  expect(out).toMatch(/^second at .*; usable$/m)
  expect(out).toMatch(/^moves started: [1-9]\d*$/m)
  const progress = `^move ${move} of project ${project.id} from default to second: started, ([\\d.]+) MB of 3\\.\\d MB`
  expect(Number(new RegExp(progress, 'm').exec(out)?.[1])).toBeGreaterThan(0.5)
  const metrics = await (await fetch(`${w.url}/-/metrics`)).text()
  const bytes = (of: string) =>
    Number(
      new RegExp(`^forgelet_repository_storage_move_bytes\\{of="${of}"\\} (\\d+)`, 'm').exec(metrics)?.[1],
    )
  expect(bytes('copied')).toBeGreaterThan(500_000)
  expect(bytes('all')).toBeGreaterThanOrEqual(bytes('copied'))
  await set({ repository_storage_moves_bandwidth: 25 })
  hold.go()
  await finished(move)
}, 180_000)

test.each([1, 2])(
  '%i moves run at once if the setting says so, and no more',
  async (most) => {
    await set({ repository_storage_moves_at_once: most })
    const projects = await Promise.all([1, 2, 3, 4].map(() => projectWithCode()))
    const running = new Set<number>()
    let peak = 0
    const all = Promise.withResolvers<void>()
    using _ = moveWatchers.add(async (step, move) => {
      if (step === 'switched') running.delete(move)
      if (step !== 'started') return
      running.add(move)
      peak = Math.max(peak, running.size)
      if (peak === most) all.resolve()
      // As many as may come have begun.
      await all.promise
    })
    const moves: number[] = []
    for (const project of projects) moves.push(await moveProject(project))
    for (const move of moves) await finished(move)
    expect(peak).toBe(most)
  },
  120_000,
)
