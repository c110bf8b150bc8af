import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'forgelet-client-go-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const program = await build()

/** The program. Go fetches what it needs the first time. */
async function build(): Promise<string | undefined> {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
  const go = places.map((place) => join(place, 'go')).find((path) => existsSync(path))
  if (go === undefined) {
    console.log('skipped: Go is not installed')
    return undefined
  }
  const cwd = join(import.meta.dirname, 'client-go')
  try {
    await run(go, ['mod', 'download'], { cwd, timeout: 120_000 })
  } catch {
    console.log('skipped: Go could not fetch client-go')
    return undefined
  }
  const built = join(folder, 'client')
  await run(go, ['build', '-o', built, '.'], { cwd, timeout: 240_000 })
  return built
}

test.skipIf(program === undefined)('client-go keeps releases and their links', async () => {
  const { id, maintainer, fullPath } = await branchedProject()
  await maintainer.post(`/projects/${id}/milestones`, { title: '1.0' })
  const { stdout } = await run(program ?? '', [w.url, maintainer.token, fullPath], { timeout: 170_000 })
  expect(stdout).toBe('held\n')
})
