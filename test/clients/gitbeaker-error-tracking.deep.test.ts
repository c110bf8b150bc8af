import { Gitlab } from '@gitbeaker/rest'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'

test('@gitbeaker/rest sets error tracking up, and makes and lists client keys', async () => {
  const { id, maintainer } = await w.project()
  const api = new Gitlab({ host: w.url, token: maintainer.token })
  await expect(api.ErrorTrackingSettings.show(id)).rejects.toMatchObject({
    cause: { description: '404 Error Tracking Setting Not Found' },
  })
  const made = await api.ErrorTrackingSettings.create(id, true, true)
  expect(made).toMatchObject({ active: true, integrated: true, sentry_external_url: null })
  expect(await api.ErrorTrackingSettings.edit(id, false)).toEqual({ ...made, active: false })
  expect(await api.ErrorTrackingSettings.edit(id, true, { integrated: false })).toEqual({
    ...made,
    integrated: false,
  })
  expect(await api.ErrorTrackingSettings.show(id)).toEqual({ ...made, integrated: false })
  const key = await api.ErrorTrackingClientKeys.create(id)
  expect(key).toMatchObject({ active: true, sentry_dsn: expect.stringContaining(key.public_key) })
  expect(await api.ErrorTrackingClientKeys.all(id)).toEqual([key])
})
