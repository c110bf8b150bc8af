import { expect, test } from 'vitest'
import { collideAll, type Verb } from '#test/conflicts.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { forProject, madeRunner } from './test-support.ts'

// What happens to one runner at the same moment.

/** Two projects, of which the first one owns a runner, and a third one. */
async function newGround() {
  const [owning, lent, other] = [await w.project(), await w.project(), await w.project()]
  const runner = await madeRunner(w.root, forProject(owning.id))
  await w.root.post(`/projects/${lent.id}/runners`, { runner_id: runner.id })
  return { owning: owning.id, lent: lent.id, other: other.id, runner }
}

type Ground = Awaited<ReturnType<typeof newGround>>

const verbs: Readonly<Record<string, (ground: Ground) => Verb>> = {
  'change the runner':
    ({ runner }) =>
    () =>
      w.root.put(runner.path, { description: unique('description') }),
  'remove the runner':
    ({ runner }) =>
    () =>
      w.root.delete(runner.path),
  'remove the runner by its token':
    ({ runner }) =>
    () =>
      w.anonymous.delete('/runners', { token: runner.token }),
  'verify the runner':
    ({ runner }) =>
    () =>
      w.anonymous.post('/runners/verify', { token: runner.token, system_id: unique('s') }),
  'exchange its token':
    ({ runner }) =>
    () =>
      w.anonymous.post('/runners/reset_authentication_token', { token: runner.token }),
  'enable the runner':
    ({ runner, other }) =>
    () =>
      w.root.post(`/projects/${other}/runners`, { runner_id: runner.id }),
  'disable the runner':
    ({ runner, lent }) =>
    () =>
      w.root.delete(`/projects/${lent}/runners/${runner.id}`),
  'delete the project that owns it':
    ({ owning }) =>
    () =>
      w.root.delete(`/projects/${owning}`),
  'delete the project that it was lent to':
    ({ lent }) =>
    () =>
      w.root.delete(`/projects/${lent}`),
  'make another runner for the project':
    ({ owning }) =>
    () =>
      w.root.post('/user/runners', forProject(owning)),
}

const pairs = Object.keys(verbs).flatMap((one, index, all) =>
  all.slice(index).map((other) => [one, other] as const),
)

test.each(pairs)('%s and %s', async (one, other) => {
  const ground = await newGround()
  const made = [verbs[one], verbs[other], verbs[one], verbs[other]].flatMap((verb) => verb?.(ground) ?? [])
  expect(await collideAll(made)).toHaveLength(4)
  // Whatever came first, a runner that is left has one owner.
  const owners = await w.db
    .selectFrom('ci_runner_projects')
    .select('project_id')
    .where('runner_id', '=', ground.runner.id)
    .where('is_owner', '=', true)
    .execute()
  const { status } = await w.root.get(ground.runner.path)
  expect(owners).toHaveLength(status === 200 ? 1 : 0)
})

test('a runner is gone when both of its projects are deleted at once', async () => {
  const ground = await newGround()
  await collideAll([
    () => w.root.delete(`/projects/${ground.owning}`),
    () => w.root.delete(`/projects/${ground.lent}`),
  ])
  await until(async () => expect((await w.root.get(ground.runner.path)).status).toBe(404))
})
