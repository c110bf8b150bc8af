import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { MeasuredServer } from '#test/measured-server.ts'
import type { World } from '#test/world.ts'
import { genericFile } from './test-support.ts'

/** A server that writes and hashes what it gets, as a package is hashed, and does nothing else. */
const BARE = `
const { createServer } = require('node:http')
const { createHash } = require('node:crypto')
const { createWriteStream } = require('node:fs')
const { pipeline } = require('node:stream/promises')
const server = createServer(async (req, res) => {
  const hashes = ['md5', 'sha1', 'sha256'].map((name) => createHash(name))
  async function* hashed() {
    for await (const chunk of req) {
      for (const hash of hashes) hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(hashed(), createWriteStream(process.argv[1], { flush: true }))
  res.end(hashes.map((hash) => hash.digest('hex')).join())
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** What the server may have beyond what it has when it is idle, in bytes. */
const MORE = 100 * 1024 ** 2

/**
 * Uploads a file of so many bytes, three times at most, and shows that it takes little memory and little more time than it must.
 * @param least how much of the speed of a bare server it has
 * @returns what each try took, for people
 */
export async function expectLargeUpload(world: World, bytes: number, least: number): Promise<string[]> {
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-large-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'large')
  await writeFile(file, 'begin')
  await truncate(file, bytes)
  const child = spawn(process.execPath, ['--eval', BARE, join(folder, 'bare')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanup.defer(() => void child.kill())
  const [port] = await once(child.stdout, 'data')
  const bare = `http://127.0.0.1:${String(port).trim()}/`
  const project = await world.project()
  await using server = await MeasuredServer.start(world)
  const upload = async (url: string) => {
    const start = performance.now()
    const header = `private-token: ${project.developer.token}`
    await promisify(execFile)('curl', ['-s', '--fail-with-body', '-H', header, '-T', file, url])
    return performance.now() - start
  }
  const { rss: idle } = await server.measure('collected')
  let most = 0
  const measuring = setInterval(() => {
    void server.measure().then(({ rss }) => (most = Math.max(most, rss)))
  }, 100)
  cleanup.defer(() => clearInterval(measuring))
  let share = 0
  const tried: string[] = []
  for (let n = 0; n < 3 && share < least; n += 1) {
    const alone = await upload(bare)
    const here = await upload(`${server.url}/api/v4${genericFile(project, { version: `${n}` })}`)
    share = Math.max(share, alone / here)
    tried.push(
      `${bytes / 1024 ** 3} GB: ${(here / 1000).toFixed(1)} s, a bare server ${(alone / 1000).toFixed(1)} s, at most ${Math.round((most - idle) / 1024 ** 2)} MB beyond idle`,
    )
  }
  expect(most).toBeGreaterThan(0)
  expect(most - idle).toBeLessThan(MORE)
  expect(share).toBeGreaterThanOrEqual(least)
  return tried
}
