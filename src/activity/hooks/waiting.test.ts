import { expect, test } from 'vitest'
import { giveBranches } from '#test/repositories.ts'
import { type Place, w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()

/** A project in a group, whose webhook wants to know of issues and merge requests. */
async function heard(parent: number) {
  const server = await receiver()
  const project = await w.project({ parent })
  const triggers = { push_events: false, issues_events: true, merge_requests_events: true }
  await project.maintainer.post(`/projects/${project.id}/hooks`, { ...triggers, url: server.url })
  const titles = () => server.received.map(({ body }) => String(body.object_attributes.title))
  return { project, titles }
}

const issue = (project: Place, title: string) =>
  project.developer.post(`/projects/${project.id}/issues`, { title })

const tries = async ({ namespaceId }: { readonly namespaceId: number }) => {
  const facts = await w.db
    .selectFrom('hook_facts')
    .select('tries')
    .where('namespace_id', '=', namespaceId)
    .execute()
  return facts.map((fact) => fact.tries)
}

/** Says that the repository of a project is in another storage. @returns where it was */
async function storedAt({ id }: Place, storage: string) {
  const which = w.db
    .selectFrom('repositories')
    .select(['id', 'storage'])
    .where('project_id', '=', id)
    .where('kind', '=', 'project')
  const before = await which.executeTakeFirstOrThrow()
  await w.db.updateTable('repositories').set({ storage }).where('id', '=', before.id).execute()
  return before
}

test('a project whose repository cannot be read waits alone, and is told of everything in its order afterwards', async () => {
  const group = await w.group()
  const [damaged, beside] = [await heard(group.id), await heard(group.id)]
  const { project, titles } = damaged
  await giveBranches(project)
  const made = await project.developer.post(`/projects/${project.id}/merge_requests`, {
    source_branch: 'feature',
    target_branch: 'main',
    title: 'First',
  })
  expect(made.status).toBe(201)
  await expect.poll(titles).toEqual(['First'])
  await settled()

  const { storage } = await storedAt(project, 'not-mounted')
  const changed = await project.developer.put(`/projects/${project.id}/merge_requests/1`, { title: 'Second' })
  expect(changed.status).toBe(200)
  await expect.poll(() => tries(project)).toEqual([1])
  await issue(project, 'Third')
  await issue(beside.project, 'Elsewhere')
  await expect.poll(beside.titles).toEqual(['Elsewhere'])
  expect(titles()).toEqual(['First'])

  await storedAt(project, storage)
  await expect.poll(titles).toEqual(['First', 'Second', 'Third'])
})
