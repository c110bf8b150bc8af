import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sourceServer } from '../source-server.ts'
import { unique, w } from '../world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const allow = (addresses: readonly string[]) =>
  w.root.put('/application/settings', { outbound_local_requests_whitelist: addresses })
beforeAll(async () => void (await allow(['127.0.0.1'])))
afterAll(async () => void (await allow([])))

const patience = { timeout: 20_000, interval: 50 }

describe('people who import and export projects', () => {
  test('with @gitbeaker/rest', async () => {
    const source = await sourceServer()
    await source.fill()
    const user = await w.user()
    const api = new Gitlab({ host: w.url, token: user.token })
    const project = await api.Projects.create({ name: unique('imported'), importUrl: source.url })
    expect(project.import_type).toBe('git')
    await vi.waitFor(async () => {
      const { import_status } = await api.ProjectImportExports.showImportStatus(project.id)
      expect(import_status).toBe('finished')
    }, patience)
    expect((await api.Branches.all(project.id)).map(({ name }) => name)).toEqual(['trunk'])

    await api.ProjectImportExports.scheduleExport(project.id, { url: '' })
    await vi.waitFor(async () => {
      const { export_status } = await api.ProjectImportExports.showExportStatus(project.id)
      expect(export_status).toBe('finished')
    }, patience)
    const content = await api.ProjectImportExports.download(project.id)
    const path = unique('again')
    const made = await api.ProjectImportExports.import({ content, filename: 'a.tar.gz' }, path, {
      namespace: user.username,
    })
    await vi.waitFor(async () => {
      expect((await api.ProjectImportExports.showImportStatus(made.id)).import_status).toBe('finished')
    }, patience)
    expect((await api.Commits.all(made.id)).map(({ title }) => title)).toEqual(['Say more', 'Begin'])
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 60_000 }, async () => {
    const source = await sourceServer()
    await source.fill()
    const { token } = await w.user()
    await expectHeld('imports.py', w.url, token, source.url, unique('imported'))
  })
})
