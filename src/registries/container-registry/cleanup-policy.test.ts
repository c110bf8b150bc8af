import { expect, test } from 'vitest'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { runCleanupPolicies, selectionOf } from './cleanup-policy.ts'
import { readDuration } from './durations.ts'
import { withImages } from './test-support.ts'

test('a policy deletes the tags that it chooses, and notes when', async () => {
  const { project, name, developer } = await withImages()
  const { manifest } = await developer.image(name, 'v1')
  for (const tag of ['old-1', 'old-2', 'old-kept']) await developer.manifest(name, tag, manifest)
  const policy = {
    enabled: true,
    keep_n: null,
    older_than: '7d',
    name_regex: 'old.*',
    name_regex_keep: '.*kept',
  }
  await developer.image(`${name}/prod`, 'old-1')
  await project.owner.post(`/projects/${project.id}/registry/protection/repository/rules`, {
    repository_path_pattern: `${name}/prod`,
    minimum_access_level_for_delete: 'owner',
  })
  await project.owner.put(`/projects/${project.id}`, { container_expiration_policy_attributes: policy })
  const [repository, prod] = await w.db
    .selectFrom('container_repositories')
    .select('id')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute()
  await w.db
    .updateTable('container_tags')
    .set({ updated_at: '2020-01-01T00:00:00.000Z' })
    .where('repository_id', 'in', [repository?.id ?? 0, prod?.id ?? 0])
    .where('name', '<>', 'old-2')
    .execute()
  await w.write((tx) => enqueue(tx, runCleanupPolicies, {}))
  const base = `/projects/${project.id}/registry/repositories`
  await until(async () => {
    const { body } = await project.reporter.get(`${base}/${repository?.id}/tags`)
    expect(body.map((tag: { name: string }) => tag.name)).toEqual(['old-2', 'old-kept', 'v1'])
  })
  const { body } = await project.reporter.get(base)
  expect(body[0].cleanup_policy_started_at).toEqual(expect.any(String))
  await until(async () => {
    const { body: shown } = await project.reporter.get(`/projects/${project.id}`)
    const { cadence, next_run_at } = shown.container_expiration_policy
    expect([cadence, Date.parse(next_run_at) > w.clock.now().getTime()]).toEqual(['1d', true])
  })
  // What a rule keeps from Maintainers, it keeps from their policy.
  expect((await project.reporter.get(`${base}/${prod?.id}/tags`)).body).toHaveLength(1)
})

const policy = {
  enabled: true,
  cadence: '1d',
  keep_n: 5,
  older_than: '30d',
  name_regex: '.*',
  name_regex_keep: '',
} as const

test('a policy says what it deletes', () => {
  expect(selectionOf(policy)).toEqual({ name_regex_delete: '.*', keep_n: 5, older_than: 30 * 86_400 })
  expect(selectionOf({ ...policy, enabled: false })).toBeUndefined()
  expect(selectionOf({ ...policy, name_regex: null })).toBeUndefined()
})

test.each([
  ['1h', 3_600],
  ['90d', 90 * 86_400],
  ['3month', 90 * 86_400],
  ['2 weeks', 14 * 86_400],
  ['1y', 365 * 86_400],
  ['x', undefined],
  ['1', undefined],
])('a duration: %s', (text, seconds) => {
  expect(readDuration(text)).toBe(seconds)
})
