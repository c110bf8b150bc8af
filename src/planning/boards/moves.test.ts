import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { made, newBoard, newLabel, newMilestone, orderOf } from './test-support.ts'

/** A group that somebody owns, with labels and milestones of these names. */
async function groupWith(owner: Actor, names: readonly string[], parent?: number) {
  const { id } = await made(owner, '/groups', {
    name: unique('Group'),
    path: unique('group'),
    ...(parent !== undefined && { parent_id: parent }),
  })
  const base = `/groups/${id}`
  const labels: number[] = []
  const milestones: number[] = []
  for (const name of names) {
    labels.push((await newLabel(owner, base, name)).id)
    milestones.push((await newMilestone(owner, base, name)).id)
  }
  return { id, base, labels, milestones }
}

/** A board that is about the first label and milestone, with a list of each. */
async function boardOf(
  owner: Actor,
  base: string,
  group: Awaited<ReturnType<typeof groupWith>>,
  label: string,
) {
  const board = await newBoard(owner, base, { milestone_id: group.milestones[0], labels: label })
  for (const label_id of group.labels) await made(owner, `${board.path}/lists`, { label_id })
  for (const milestone_id of group.milestones) await made(owner, `${board.path}/lists`, { milestone_id })
  return board
}

interface Shown {
  readonly labels: readonly { name: string }[]
  readonly milestone: { title: string; group_id?: number } | null
  readonly lists: readonly { label: { name: string } | null; milestone?: { title: string } }[]
}

async function shown(by: Actor, path: string) {
  const { status, body } = await by.get(path)
  expect(status).toBe(200)
  await orderOf(by, path)
  const { labels, milestone, lists }: Shown = body
  return {
    labels: labels.map(({ name }) => name),
    milestone: milestone?.title,
    lists: lists.map((list) => list.label?.name ?? list.milestone?.title),
  }
}

describe('a transfer', () => {
  test('of a project gives its boards what is called the same at the new place, else copies', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, ['both', 'gone'])
    const after = await groupWith(owner, ['both'])
    const project = await made(owner, '/projects', { name: unique('p'), namespace_id: before.id })
    const base = `/projects/${project.id}`
    const { path } = await boardOf(owner, base, before, 'gone')
    expect((await owner.put(`${base}/transfer`, { namespace: after.id })).status).toBe(200)
    expect(await shown(owner, path)).toEqual({
      labels: ['gone'],
      milestone: 'both',
      lists: ['both', 'gone', 'both', 'gone'],
    })
    const { body } = await owner.get(path)
    expect(body.lists[0].label.id).toBe(after.labels[0])
    expect(body.lists[2].milestone.group_id).toBe(after.id)
    expect(body.lists[3].milestone.project_id).toBe(project.id)
    const own = await owner.get(`${base}/labels?include_ancestor_groups=false`)
    expect(own.body.map(({ id }: { id: number }) => id)).toEqual([body.lists[1].label.id])
  })

  test('of a group takes off its boards what is not at the new place', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, ['both', 'gone'])
    const after = await groupWith(owner, ['both'])
    const inner = await groupWith(owner, [], before.id)
    const { path } = await boardOf(owner, inner.base, before, 'gone')
    const lone = await newBoard(owner, inner.base, { milestone_id: before.milestones[1] })
    expect((await owner.post(`${inner.base}/transfer`, { group_id: after.id })).status).toBe(201)
    expect(await shown(owner, path)).toEqual({ labels: [], milestone: 'both', lists: ['both', 'both'] })
    expect(await shown(owner, lone.path)).toEqual({ labels: [], milestone: undefined, lists: [] })
  })

  test('keeps one list where two labels of one name become one', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, [])
    const inner = await groupWith(owner, ['same'], before.id)
    const outer = await newLabel(owner, before.base, 'same')
    const after = await groupWith(owner, ['same'])
    const project = await made(owner, '/projects', { name: unique('p'), namespace_id: inner.id })
    const base = `/projects/${project.id}`
    const { path } = await newBoard(owner, base)
    for (const label_id of [outer.id, ...inner.labels]) await made(owner, `${path}/lists`, { label_id })
    expect((await owner.put(`${base}/transfer`, { namespace: after.id })).status).toBe(200)
    const { body } = await owner.get(path)
    expect(body.lists).toMatchObject([{ position: 0, label: { id: after.labels[0] } }])
  })
})

test('boards follow labels and milestones that a group gets from its projects', async () => {
  const group = await w.group()
  const projects = [await w.project({ parent: group.id }), await w.project({ parent: group.id })]
  const paths: string[] = []
  const ids: number[] = []
  for (const { id, owner } of projects) {
    await w.memberAtLeast(group.id, owner, levels.owner)
    const base = `/projects/${id}`
    const [label, milestone] = [await newLabel(owner, base, 'same'), await newMilestone(owner, base, 'same')]
    const { path } = await newBoard(owner, base, { labels: 'same', milestone_id: milestone.id })
    await made(owner, `${path}/lists`, { label_id: label.id })
    await made(owner, `${path}/lists`, { milestone_id: milestone.id })
    paths.push(path)
    ids.push(milestone.id)
  }
  const base = `/projects/${projects[0]?.id}`
  expect((await group.owner.put(`${base}/labels/same/promote`)).status).toBe(200)
  expect((await group.owner.post(`${base}/milestones/${ids[0]}/promote`)).status).toBe(200)
  for (const path of paths) {
    expect(await shown(group.owner, path)).toEqual({
      labels: ['same'],
      milestone: 'same',
      lists: ['same', 'same'],
    })
    const { body } = await group.owner.get(path)
    expect([body.milestone.id, body.milestone.group_id]).toEqual([ids[0], group.id])
  }
})
