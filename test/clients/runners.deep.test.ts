import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

test('@gitbeaker/rest makes, changes, lends and removes runners', async () => {
  const [place, other] = [await w.project(), await w.project()]
  await w.member(other.namespaceId, place.maintainer, 40)
  const api = new Gitlab({ host: w.url, token: place.maintainer.token })
  const made = await api.Users.createCIRunner('project_type', { projectId: place.id, tagList: ['linux'] })
  expect(made).toMatchObject({ token: expect.stringMatching(/^glrt-/) })
  const { id } = made
  expect(await api.Runners.show(id)).toMatchObject({ id, tag_list: ['linux'], status: 'never_contacted' })
  expect(await api.Runners.edit(id, { paused: true, maximumTimeout: 3600 })).toMatchObject({
    paused: true,
    maximum_timeout: 3600,
  })
  expect(await api.Runners.all({ owned: true, tagList: ['linux'] })).toMatchObject([{ id }])
  expect(await api.Runners.all({ projectId: place.id, type: 'project_type' })).toMatchObject([{ id }])
  expect(await api.Runners.enable(other.id, id)).toMatchObject({ id })
  await api.Runners.disable(other.id, id)
  expect(await api.Runners.allJobs(id)).toEqual([])
  await api.Runners.remove({ runnerId: id })
  await expect(api.Runners.show(id)).rejects.toThrow('Not Found')
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('makes, changes, lends and removes runners', { timeout: 180_000 }, async () => {
    await expectHeld('runners.py', w.url, w.root.token, unique('x'))
  })
})
