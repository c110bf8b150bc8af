import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest', () => {
  test('keeps environments with Environments', async () => {
    const { id, maintainer } = await w.project()
    const { Environments } = new Gitlab({ host: w.url, token: maintainer.token })
    const externalUrl = 'https://www.example.com'
    const made = await Environments.create(id, 'production', { externalUrl, tier: 'staging' })
    expect(made).toMatchObject({ name: 'production', external_url: externalUrl, tier: 'staging' })
    expect(await Environments.all(id, { name: 'production' })).toEqual([made])
    const changed = await Environments.edit(id, made.id, { tier: 'production' })
    expect(await Environments.show(id, made.id)).toMatchObject({ ...changed, last_deployment: null })
    await expect(Environments.remove(id, made.id)).rejects.toMatchObject(refused(403))
    expect(await Environments.stop(id, made.id)).toMatchObject({ state: 'stopped' })
    await Environments.remove(id, made.id)
    const { id: app } = await Environments.create(id, 'review/x')
    await Environments.stop(id, app)
    const before = '2090-01-01T00:00:00Z'
    expect(await Environments.removeReviewApps(id, { before, limit: 5, dryRun: false })).toMatchObject({
      scheduled_entries: [{ id: app, name: 'review/x' }],
      unprocessable_entries: [],
    })
  })

  test('tells of deployments with Deployments', async () => {
    const { id, maintainer } = await branchedProject()
    const { Deployments } = new Gitlab({ host: w.url, token: maintainer.token })
    const made = await Deployments.create(id, 'production', 'main', 'main', false, { status: 'running' })
    expect(made).toMatchObject({ iid: 1, status: 'running', environment: { name: 'production' } })
    await expect(Deployments.remove(id, made.id)).rejects.toMatchObject(refused(400))
    expect(await Deployments.edit(id, made.id, 'failed')).toMatchObject({ status: 'failed' })
    expect(await Deployments.all(id, { environment: 'production' })).toEqual([
      await Deployments.show(id, made.id),
    ])
    expect(await Deployments.allMergeRequests(id, made.id)).toEqual([])
    await Deployments.remove(id, made.id)
    await expect(Deployments.show(id, made.id)).rejects.toMatchObject(refused(404))
  })

  test('keeps freeze periods with FreezePeriods', async () => {
    const { id, maintainer } = await w.project()
    const { FreezePeriods } = new Gitlab({ host: w.url, token: maintainer.token })
    const made = await FreezePeriods.create(id, '0 23 * * 5', '0 7 * * 1', { cronTimezone: 'Europe/Berlin' })
    expect(made).toMatchObject({ freeze_start: '0 23 * * 5', cron_timezone: 'Europe/Berlin' })
    const changed = await FreezePeriods.edit(id, made.id, { freezeEnd: '0 8 * * 1' })
    expect(await FreezePeriods.show(id, made.id)).toEqual(changed)
    expect(await FreezePeriods.all(id)).toEqual([changed])
    await FreezePeriods.remove(id, made.id)
    expect(await FreezePeriods.all(id)).toEqual([])
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps environments and deployments', { timeout: 180_000 }, async () => {
    await expectHeld('deployments.py', w.url, w.root.token, unique('x'))
  })
})
