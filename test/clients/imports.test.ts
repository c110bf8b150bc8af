import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sourceServer } from '../source-server.ts'
import { unique, w } from '../world.ts'

/** Debian's python3-gitlab belongs to the system's own Python. */
const python = '/usr/bin/python3'
const installed = spawnSync(python, ['-c', 'import gitlab']).status === 0
if (!installed) console.log("skipped: Debian's python3-gitlab is not installed")

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

  test.skipIf(!installed)('with python-gitlab', { timeout: 60_000 }, async () => {
    const source = await sourceServer()
    await source.fill()
    const { token } = await w.user()
    const script = fileURLToPath(new URL('imports.py', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [
      script,
      w.url,
      token,
      source.url,
      unique('imported'),
    ])
    expect(stdout).toBe('done\n')
  })
})
