import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { allowReceivers, receiver } from './test-support.ts'

allowReceivers()

test('a merge request that was opened tells whether its source branch goes, and that nothing waits', async () => {
  const project = await branchedProject()
  const server = await receiver()
  const triggers = { merge_requests_events: true, push_events: false }
  await project.maintainer.post(`/projects/${project.id}/hooks`, { ...triggers, url: server.url })
  await openMergeRequest(project, project.developer, { remove_source_branch: false })
  const [opened] = await server.has(1)
  expect(opened?.body.object_attributes).toMatchObject({
    merge_params: { force_remove_source_branch: false },
    merge_when_pipeline_succeeds: false,
    merge_error: null,
    head_pipeline_id: null,
    updated_by_id: null,
  })
})

test('a merge request that waits to be merged tells how', async () => {
  const project = await branchedProject()
  const { path, body } = await openMergeRequest(project, project.developer, { title: 'Draft: One' })
  const wish = { auto_merge: true, sha: body.sha, should_remove_source_branch: true }
  expect((await project.maintainer.put(`${path}/merge`, wish)).body.merge_when_pipeline_succeeds).toBe(true)
  const server = await receiver()
  const triggers = { merge_requests_events: true, note_events: true, push_events: false }
  await project.maintainer.post(`/projects/${project.id}/hooks`, { ...triggers, url: server.url })
  await project.maintainer.post(`${path}/notes`, { body: 'Wait' })
  const [note] = await server.has(1)
  expect(note?.body.merge_request).toMatchObject({
    merge_when_pipeline_succeeds: true,
    merge_params: {
      auto_merge_strategy: 'merge_when_checks_pass',
      sha: body.sha,
      should_remove_source_branch: true,
    },
  })
  expect(note?.body.merge_request.merge_params).not.toHaveProperty('force_remove_source_branch')
})
