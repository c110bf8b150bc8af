import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, toldBy } from '#administration/audit-events/test-support.ts'
import { openWorld, type World } from '#test/world.ts'
import { forInstance, forProject, madeRunner } from './test-support.ts'

let own: World
beforeAll(async () => void (own = await openWorld(undefined, 'premium')))
afterAll(() => own.running.stop())

test('what is done to runners is told to whom they belong', async () => {
  const [place, other] = [await own.project(), await own.project()]
  let id = 0
  const events = await eventsOf(own, async () => {
    const runner = await madeRunner(own.root, forProject(place.id, { description: 'Builder' }))
    id = runner.id
    await own.root.put(runner.path, { paused: true, tag_list: ['linux'] })
    await own.root.post(`/projects/${other.id}/runners`, { runner_id: id })
    await own.root.delete(`/projects/${other.id}/runners/${id}`)
    const { body } = await own.root.post(`${runner.path}/reset_authentication_token`)
    await own.anonymous.delete('/runners', { token: body.token })
  })
  expect(toldBy(events)).toEqual([
    ['ci_runner_created', { add: 'runner' }],
    ['ci_runner_paused_updated', { change: 'paused', from: 'false', to: 'true' }],
    ['ci_runner_tags_updated', { change: 'tags', from: '[]', to: '["linux"]' }],
    ['ci_runner_assigned_to_project', { custom_message: 'Enabled the runner for the project' }],
    ['ci_runner_unassigned_from_project', { custom_message: 'Disabled the runner for the project' }],
    [
      'ci_runner_authentication_token_reset',
      { custom_message: 'Reset the authentication token of the runner' },
    ],
    ['ci_runner_unregistered', { remove: 'runner' }],
  ])
  expect(events.map(({ entity_id }) => entity_id)).toEqual([
    place.id,
    place.id,
    place.id,
    other.id,
    other.id,
    place.id,
    place.id,
  ])
  expect(events.at(-1)?.details).toMatchObject({ target_id: id, target_details: 'Builder' })
})

test('and of runners that register themselves', async () => {
  const events = await eventsOf(own, async () => {
    const { body } = await own.root.post('/runners/reset_registration_token')
    await own.anonymous.post('/runners', { token: body.token })
    await madeRunner(own.root, forInstance())
  })
  expect(events.map(({ event_name, entity_type }) => [event_name, entity_type])).toEqual([
    ['ci_runner_token_reset', 'Gitlab::Audit::InstanceScope'],
    ['ci_runner_registered', 'Gitlab::Audit::InstanceScope'],
    ['ci_runner_created', 'Gitlab::Audit::InstanceScope'],
  ])
})
