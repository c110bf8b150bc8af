import { beforeAll, describe, expect, test } from 'vitest'
import { collide } from '#test/conflicts.ts'
import { insertPeople } from '#test/people.ts'
import { giveSample } from '#test/repositories.ts'
import { Actor, type Place, unique, w } from '#test/world.ts'
import { deployed, joined, keeperOf, licensed, pathOf, protect, say, stateOf } from './test-support.ts'

let project: Place & { namespaceId: number }
beforeAll(async () => {
  project = await w.project()
  await giveSample(project)
})

/** Protects an environment of the project that no other test has. @returns its name */
async function guarded(rules: readonly object[]): Promise<string> {
  const name = unique('production')
  await protect(keeperOf(project), pathOf('project', project), {
    name,
    deploy_access_levels: [{ access_level: 30 }],
    approval_rules: rules,
  })
  return name
}

const developer = () => licensed(project.developer)
const owner = () => licensed(project.owner)

describe('at the same moment', () => {
  test('fifty people approve: each counts once, and the last one lets the deployment go on', async () => {
    const people = await w.write((tx) =>
      insertPeople(
        tx,
        project.namespaceId,
        Array.from({ length: 50 }, () => ({ username: unique('approver'), level: 40 as const })),
      ),
    )
    const name = await guarded([{ access_level: 40, required_approvals: 50 }])
    const path = await deployed(developer(), project, name)
    const clients = people.map(({ id, username, token }) => licensed(new Actor(w.url, id, username, token)))
    const last = clients.pop()
    const answers = await Promise.all(clients.map((by) => say(by, path)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    expect((await owner().get(path)).body.approvals).toHaveLength(49)
    if (last !== undefined) expect((await say(last, path)).status).toBe(201)
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
  })

  test('one person approves fifty times: it counts once', async () => {
    const name = await guarded([{ access_level: 40, required_approvals: 2 }])
    const path = await deployed(developer(), project, name)
    const answers = await Promise.all(Array.from({ length: 50 }, () => say(owner(), path)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    expect((await owner().get(path)).body.approvals).toHaveLength(1)
  })

  test('one approves and one rejects: it ends either way', async () => {
    const name = await guarded([{ access_level: 40, required_approvals: 2 }])
    const path = await deployed(developer(), project, name)
    await collide(
      () => say(owner(), path),
      () => say(licensed(project.maintainer), path, 'rejected'),
    )
    expect(await stateOf(owner(), path)).toEqual(['failed', 0])
  })

  test('somebody approves and leaves, or the rule ends: no deadlock', async () => {
    const approver = await joined(project.namespaceId, 40)
    const name = await guarded([{ user_id: approver.id }, { access_level: 60 }])
    const path = await deployed(developer(), project, name)
    await collide(
      () => say(approver.by, path),
      () =>
        keeperOf(project).put(pathOf('project', project, name), { approval_rules: [{ access_level: 40 }] }),
    )
    const other = await deployed(developer(), project, name)
    const [, ends] = await collide(
      () => say(approver.by, other),
      () => w.root.delete(`/users/${approver.id}?hard_delete=true`),
    )
    expect(ends.map(({ status }) => status)).toContain(204)
    await collide(
      () => say(owner(), other),
      () => keeperOf(project).delete(pathOf('project', project, name)),
    )
  })
})
