import { expect, test } from 'vitest'
import { deployedProject, deploymentOf } from '../test-support.ts'

const weekend = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' }

test('a freeze period has six fields, and UTC unless a time zone is given', async () => {
  const place = await deployedProject()
  const { status, body } = await place.maintainer.post(place.periods, weekend)
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      ...weekend,
      cron_timezone: 'UTC',
      created_at: expect.any(String),
      updated_at: body.created_at,
    },
  ])
  const path = `${place.periods}/${body.id}`
  expect((await place.reporter.get(path)).body).toEqual(body)
  const { body: second } = await place.maintainer.post(place.periods, {
    ...weekend,
    cron_timezone: 'Europe/Berlin',
  })
  expect((await place.reporter.get(place.periods)).body).toEqual([body, second])
  const { body: changed } = await place.maintainer.put(path, { freeze_end: '0 8 * * mon' })
  expect(changed).toEqual({ ...body, freeze_end: '0 8 * * mon', updated_at: expect.any(String) })
  expect((await place.maintainer.put(path, {})).body).toEqual(changed)
  expect((await place.maintainer.delete(path)).status).toBe(204)
  expect((await place.maintainer.get(path)).status).toBe(404)
})

test('a freeze period takes patterns of crontab and time zones that exist', async () => {
  const place = await deployedProject()
  const refusal = async (given: object) => {
    const { status, body } = await place.maintainer.post(place.periods, { ...weekend, ...given })
    return [status, body.message]
  }
  const syntax = ['is invalid syntax']
  for (const pattern of [
    'x',
    '61 * * * *',
    '* * * *',
    '0 0 0 * * *',
    '5-1 * * * *',
    `${'1,'.repeat(100)}99 * * * *`,
  ]) {
    expect([pattern, ...(await refusal({ freeze_start: pattern }))]).toEqual([
      pattern,
      400,
      { freeze_start: syntax },
    ])
  }
  expect(await refusal({ freeze_end: 'never', cron_timezone: 'Nowhere/City' })).toEqual([
    400,
    { freeze_end: syntax, cron_timezone: syntax },
  ])
  expect((await refusal({ freeze_start: '' }))[0]).toBe(400)
  const { body } = await place.maintainer.post(place.periods, weekend)
  const path = `${place.periods}/${body.id}`
  expect((await place.maintainer.put(path, { freeze_end: 'x' })).body.message).toEqual({ freeze_end: syntax })
  expect((await place.maintainer.get(path)).body).toEqual(body)
})

test('Reporters read freeze periods, and Maintainers keep them', async () => {
  const place = await deployedProject()
  expect((await place.guest.get(place.periods)).status).toBe(403)
  expect((await place.developer.post(place.periods, weekend)).status).toBe(403)
})

test('a freeze period refuses no deployment that a program tells of', async () => {
  const place = await deployedProject()
  await place.maintainer.post(place.periods, { freeze_start: '* * * * *', freeze_end: '0 0 1 1 *' })
  expect((await deploymentOf(place)).status).toBe('running')
})
