import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { until } from '#test/until.ts'
import { forGroup, forInstance, forProject, madeRunner } from './test-support.ts'

const of = ({ id }: { id: number }) => `/projects/${id}/runners`
const says = (text: string) => ({ status: 403, body: { message: `403 Forbidden - ${text}` } })

/** Two projects with the same maintainer, the first of which owns a runner. */
async function twoProjects(given: object = {}) {
  const [owning, other] = [await w.project(), await w.project()]
  await w.member(other.namespaceId, owning.maintainer, 40)
  const runner = await madeRunner(owning.maintainer, forProject(owning.id, given))
  const enable = (by = owning.maintainer) => by.post(of(other), { runner_id: runner.id })
  return { owning, other, runner, enable }
}

test('a maintainer of both projects lends a runner and takes it back', async () => {
  const { owning, other, runner, enable } = await twoProjects()
  expect(await enable(other.maintainer)).toMatchObject(says('No access granted'))
  const { status, body } = await enable()
  expect([status, body]).toMatchObject([201, { id: runner.id, runner_type: 'project_type' }])
  expect((await enable()).body.message).toEqual({ runner_id: ['has already been taken'] })
  const { body: seen } = await w.root.get(runner.path)
  expect(seen.projects.map(({ id }: { id: number }) => id)).toEqual([owning.id, other.id])
  // Of the projects, one sees those that one may see.
  expect((await other.maintainer.get(runner.path)).body.projects).toHaveLength(1)
  expect(await owning.maintainer.delete(`${of(owning)}/${runner.id}`)).toMatchObject(
    says('The project owns the runner. Please remove the runner instead'),
  )
  expect((await other.maintainer.delete(`${of(other)}/${runner.id}`)).status).toBe(204)
  expect((await other.maintainer.delete(`${of(other)}/${runner.id}`)).status).toBe(404)
  expect(await owning.maintainer.delete(`${of(owning)}/${runner.id}`)).toMatchObject(
    says('Only one project associated with the runner. Please remove the runner instead'),
  )
})

test('locked runners and those of groups and of the instance stay where they are', async () => {
  const { other, owning, runner, enable } = await twoProjects({ locked: true })
  expect(await enable()).toMatchObject(says('Runner is locked'))
  expect((await enable(w.root)).status).toBe(201)
  expect(await other.maintainer.delete(`${of(other)}/${runner.id}`)).toMatchObject(says('Runner is locked'))
  const since = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
  expect((await w.root.delete(`${of(other)}/${runner.id}`, undefined, since)).status).toBe(412)
  expect((await w.root.delete(`${of(other)}/${runner.id}`)).status).toBe(204)
  const group = await w.group()
  const ofGroup = await madeRunner(group.owner, forGroup(group.id))
  const shared = await madeRunner(w.root, forInstance())
  const ask = (id: number) => w.root.post(of(owning), { runner_id: id })
  expect(await ask(ofGroup.id)).toMatchObject(says('Runner is a group runner'))
  expect(await ask(shared.id)).toMatchObject(says('Runner is an instance runner'))
  expect((await ask(999_999_999)).body.message).toBe('404 Runner Not Found')
})

test('a runner outlives the project that owns it where another has it, and goes with the last one', async () => {
  const { owning, other, runner, enable } = await twoProjects()
  await enable()
  await w.root.delete(`/projects/${owning.id}`)
  await until(async () => expect((await w.root.get(runner.path)).body.projects).toHaveLength(1))
  await until(async () => {
    const owners = await w.db
      .selectFrom('ci_runner_projects')
      .select(['project_id', 'is_owner'])
      .where('runner_id', '=', runner.id)
      .execute()
    expect(owners).toEqual([{ project_id: other.id, is_owner: true }])
  })
  expect((await other.maintainer.put(runner.path, { paused: true })).status).toBe(200)
  await w.root.delete(`/projects/${other.id}`)
  await until(async () => expect((await w.root.get(runner.path)).status).toBe(404))
})

test('the runners of a group go with it', async () => {
  const group = await w.group()
  const runner = await madeRunner(group.owner, forGroup(group.id))
  await w.root.delete(`/groups/${group.id}`)
  await until(async () => expect((await w.root.get(runner.path)).status).toBe(404))
})

test('a project and a group have no more than a thousand', async () => {
  const [place, group] = [await w.project(), await w.group()]
  const insert = async (type: 'group_type' | 'project_type', groupId: number | null) => {
    const made = await w.db
      .insertInto('ci_runners')
      .values(
        Array.from({ length: 1_000 }, (_, n) => ({
          runner_type: type,
          group_namespace_id: groupId,
          token_digest: Buffer.from(`${type}${group.id}-${n}`.padEnd(32).slice(0, 32)),
          by_registration: false,
          created_at: new Date().toISOString(),
          updated_at: new Date().toISOString(),
        })),
      )
      .returning('id')
      .execute()
    return made.map(({ id }) => id)
  }
  await insert('group_type', group.id)
  const ids = await insert('project_type', null)
  await w.db
    .insertInto('ci_runner_projects')
    .values(
      ids.map((id) => ({
        runner_id: id,
        project_id: place.id,
        is_owner: true,
        created_at: new Date().toISOString(),
      })),
    )
    .execute()
  expect((await group.owner.post('/user/runners', forGroup(group.id))).body.message).toEqual({
    base: ['Maximum number of ci registered group runners (1000) exceeded'],
  })
  expect((await place.owner.post('/user/runners', forProject(place.id))).body.message).toEqual({
    base: ['Maximum number of ci registered project runners (1000) exceeded'],
  })
})
