import { afterAll, beforeAll } from 'vitest'
import type { Answer, Client } from '#test/client.ts'
import { type ContainerOptions, openWorld, unique, type World } from '#test/world.ts'

/** A server with the plan that epics need. */
export let own: World

/** Opens that server for the tests of a file. */
export function onPremium(): void {
  beforeAll(async () => {
    own = await openWorld(undefined, 'premium')
  })
  afterAll(() => own.running.stop())
}

/** A group with an epic, and where its things are. */
export async function withEpic(options: ContainerOptions = {}, epic: object = {}) {
  const g = await own.group(options)
  const made = await open(g.planner, g, epic)
  const collection = `/groups/${g.id}/epics`
  const [path, byId] = [`${collection}/${made.iid}`, `${collection}/${made.id}`]
  return { ...g, epic: made, collection, path, byId, notes: `${byId}/notes` }
}

/** A new epic of a group. */
export async function open(by: Client, group: { id: number }, epic: object = {}) {
  const { status, body } = await by.post(`/groups/${group.id}/epics`, { title: unique('Epic'), ...epic })
  if (status !== 201) throw new Error(`No epic: ${JSON.stringify(body)}`)
  return body
}

/** A new issue of a project. */
export async function openIssue(by: Client, project: { id: number }, issue: object = {}) {
  const { status, body } = await by.post(`/projects/${project.id}/issues`, {
    title: unique('Issue'),
    ...issue,
  })
  if (status !== 201) throw new Error(`No issue: ${JSON.stringify(body)}`)
  return body
}

export const ids = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)
export const bodies = ({ body }: Answer): string[] => body.map((note: { body: string }) => note.body)
