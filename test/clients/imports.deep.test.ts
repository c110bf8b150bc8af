import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceServer } from '#test/source-server.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const allow = (addresses: readonly string[]) =>
  w.root.put('/application/settings', { outbound_local_requests_whitelist: addresses })
beforeAll(async () => void (await allow(['127.0.0.1'])))
afterAll(async () => void (await allow([])))

describe('people who import and export projects', () => {
  test('with @gitbeaker/rest', async () => {
    const source = await sourceServer()
    await source.fill()
    const user = await w.user()
    const api = new Gitlab({ host: w.url, token: user.token })
    const project = await api.Projects.create({ name: unique('imported'), importUrl: source.url })
    expect(project.import_type).toBe('git')
    const state = async (id: number, of: 'import' | 'export') =>
      (await user.get(`/projects/${id}/${of}`)).body[`${of}_status`]
    // Not by the client, which asks six times in a minute at most.
    await expect.poll(() => state(project.id, 'import')).toBe('finished')
    expect((await api.ProjectImportExports.showImportStatus(project.id)).import_status).toBe('finished')
    expect((await api.Branches.all(project.id)).map(({ name }) => name)).toEqual(['trunk'])

    await api.ProjectImportExports.scheduleExport(project.id, { url: '' })
    await expect.poll(() => state(project.id, 'export')).toBe('finished')
    expect((await api.ProjectImportExports.showExportStatus(project.id)).export_status).toBe('finished')
    const content = await api.ProjectImportExports.download(project.id)
    const path = unique('again')
    const made = await api.ProjectImportExports.import({ content, filename: 'a.tar.gz' }, path, {
      namespace: user.username,
    })
    await expect.poll(() => state(made.id, 'import')).toBe('finished')
    expect((await api.Commits.all(made.id)).map(({ title }) => title)).toEqual(['Say more', 'Begin'])
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    const source = await sourceServer()
    await source.fill()
    const { token } = await w.user()
    await expectHeld('imports.py', w.url, token, source.url, unique('imported'))
  })
})
