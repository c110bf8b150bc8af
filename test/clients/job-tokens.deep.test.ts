import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

test('@gitbeaker/rest uses the token of a job, and says whose jobs a project lets in', async () => {
  const [p, other] = [await withRunningJob(), await withRunningJob()]
  const job = new Gitlab({ host: w.url, jobToken: p.token })
  expect(await job.Branches.all(p.id)).toMatchObject([{ name: 'main' }])
  expect(await job.Environments.create(p.id, 'staging')).toMatchObject({ name: 'staging' })
  expect(await job.Environments.all(p.id)).toHaveLength(1)
  await expect(job.Branches.all(other.id)).rejects.toThrow('Not Found')

  await w.member(other.namespaceId, p.developer, 30)
  const { ProjectJobTokenScopes: scopes } = new Gitlab({ host: w.url, token: w.root.token })
  expect(await scopes.show(other.id)).toMatchObject({ inbound_enabled: true })
  await scopes.edit(other.id, true)
  await expect(job.Branches.all(other.id)).rejects.toThrow('Forbidden')
  await scopes.addToInboundAllowList(other.id, p.id)
  expect(await scopes.showInboundAllowList(other.id)).toHaveLength(2)
  expect(await job.Branches.all(other.id)).toHaveLength(1)
  await scopes.removeFromInboundAllowList(other.id, p.id)
  await scopes.addToGroupsAllowList(other.id, p.groupId)
  expect(await scopes.showGroupsAllowList(other.id)).toMatchObject([{ id: p.groupId }])
  expect(await job.Branches.all(other.id)).toHaveLength(1)
  await scopes.removeFromGroupsAllowList(other.id, p.groupId)
  await expect(job.Branches.all(other.id)).rejects.toThrow('Forbidden')
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('uses the token of a job', { timeout: 180_000 }, async () => {
    const p = await withRunningJob()
    await expectHeld('job-tokens.py', w.url, p.token, p.jobId, p.id)
  })
})
