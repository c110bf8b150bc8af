import { expect, test } from 'vitest'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { w } from '#test/world.ts'
import { deployToken } from '../packages/test-support.ts'
import { Registry, withImages } from './test-support.ts'

test('a deploy token pushes no image to a project whose group is archived, and pulls those that are there', async () => {
  const group = await w.group()
  const { project, name, developer } = await withImages(w, { parent: group.id })
  await developer.image(name, 'v1')
  const { username, token } = await deployToken(project, 'project', 'write_registry')
  const machine = new Registry(token, username)
  expect((await machine.ask(`${name}/blobs/uploads/`, { method: 'POST' })).status).toBe(202)
  expect((await group.owner.post(`/groups/${group.id}/archive`)).status).toBe(201)
  const push = await machine.ask(`${name}/blobs/uploads/`, { method: 'POST' })
  expect([push.status, push.code]).toEqual([403, 'DENIED'])
  expect((await machine.ask(`${name}/manifests/v1`)).status).toBe(200)
})

test('the token of a client ends with the user who is blocked, and with the deploy token that is deleted', async () => {
  const { project, name, developer } = await withImages()
  await developer.image(name, 'v1')
  const { username, token, id } = await deployToken(project, 'project', 'write_registry')
  const scope = `repository:${name}:pull,push,delete`
  const bearers = [await developer.token(scope), await new Registry(token, username).token(scope)]
  const ask = async (method: string) =>
    Promise.all(
      bearers.map(async (bearer) => {
        const headers = { authorization: `Bearer ${bearer}` }
        return (await fetch(`${w.url}/v2/${name}/manifests/v1`, { method, headers })).status
      }),
    )
  expect(await ask('GET')).toEqual([200, 200])
  await w.root.post(`/users/${project.developer.id}/block`)
  await project.owner.delete(`/projects/${project.id}/deploy_tokens/${id}`)
  expect([await ask('GET'), await ask('DELETE')]).toEqual([
    [403, 401],
    [403, 401],
  ])
})

test('a job deletes images of its own project, and none of a project that lets it in', async () => {
  const job = await withRunningJob()
  const { project, name, developer } = await withImages()
  await developer.image(name, 'v1')
  await w.member(project.namespaceId, job.developer, 40)
  const allowed = { target_project_id: job.id }
  expect((await w.root.post(`/projects/${project.id}/job_token_scope/allowlist`, allowed)).status).toBe(201)
  const base = `/projects/${project.id}/registry/repositories`
  const { body } = await job.client.get(base)
  const one = `${base}/${body[0].id}`
  for (const path of [`${one}/tags/v1`, `${one}/tags?name_regex_delete=.*`, one]) {
    const { status, body: refused } = await job.client.delete(path)
    expect([status, refused.message]).toEqual([403, expect.stringContaining('their own project alone')])
  }
  await new Registry(job.developer.token).image(job.fullPath.toLowerCase(), 'v1')
  const own = `/projects/${job.id}/registry/repositories`
  const [{ id }] = (await job.client.get(own)).body
  expect((await job.client.delete(`${own}/${id}/tags/v1`)).status).toBe(200)
})
