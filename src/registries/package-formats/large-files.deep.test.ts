import { execFile } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MeasuredServer } from '#test/measured-server.ts'
import { openWorld } from '#test/world.ts'

// A gigabyte, up and down: the server must not have it in memory.

const GIGABYTE = 1024 ** 3
/** What the server may have beyond what it has when it is idle. */
const MORE = 100 * 1024 ** 2

const own = await openWorld()
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-large-'))
  await writeFile(join(folder, 'large'), 'begin')
  await truncate(join(folder, 'large'), GIGABYTE)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await own.running.stop()
})

const formats: readonly (readonly [string, (url: string) => readonly string[], string])[] = [
  [
    'pypi',
    (url) => [
      '--form',
      'name=large',
      '--form',
      'version=1.0',
      '--form',
      `content=@${folder}/large;filename=large-1.0.zip`,
      url,
    ],
    '/simple/large',
  ],
  [
    'maven',
    (url) => ['--upload-file', `${folder}/large`, `${url}/org/large/1.0/large-1.0.jar`],
    '/org/large/1.0/large-1.0.jar',
  ],
]

test.each(formats)('%s: in constant memory', { timeout: 600_000 }, async (format, words, path) => {
  const project = await own.project()
  await using server = await MeasuredServer.start(own)
  const url = `${server.url}/api/v4/projects/${project.id}/packages/${format}`
  const curl = (...more: readonly string[]) =>
    promisify(execFile)('curl', [
      '--silent',
      '--fail-with-body',
      '--header',
      `private-token: ${project.developer.token}`,
      ...more,
    ])
  await curl(`${server.url}/api/v4/projects/${project.id}`)
  const { rss: idle } = await server.measure('collected')
  let most = 0
  const measuring = setInterval(() => {
    void server.measure().then(({ rss }) => (most = Math.max(most, rss)))
  }, 100)
  const start = performance.now()
  try {
    await curl(...words(url))
    const seconds = (performance.now() - start) / 1000
    const { stdout } = await curl(`${url}${path}`, ...(format === 'maven' ? ['--output', '/dev/null'] : []))
    if (format === 'pypi') {
      const [, file = ''] = /href="([^"#]+)/.exec(stdout) ?? []
      await curl(file, '--output', '/dev/null')
    }
    console.log(
      `${format}: 1 GB up in ${seconds.toFixed(1)} s, at most ${Math.round((most - idle) / 1024 ** 2)} MB beyond idle`,
    )
  } finally {
    clearInterval(measuring)
  }
  expect(most).toBeGreaterThan(0)
  expect(most - idle).toBeLessThan(MORE)
})
