import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formWith, png } from '#tenancy/avatars/test-support.ts'
import { Client } from '#test/client.ts'
import { filesBelow, s3, s3Installed } from '#test/s3.ts'
import { folder, forgelet, READY } from './forgelet.ts'

const FORGELET_ROOT_TOKEN = 'glpat-the-root-token-of-this-test'

/** A server of its own on a data folder, with the embedded database. */
async function serve(env: Record<string, string>) {
  const program = forgelet([], { FORGELET_ROOT_TOKEN, ...env })
  const url = await program.saying(READY)
  const stop = async () => {
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  }
  return { url, client: new Client(url, { 'private-token': FORGELET_ROOT_TOKEN }), stop }
}

describe.skipIf(!s3Installed)('forgelet files move', () => {
  test('moves to S3 and back beside a running server, which shows every picture all the time', async () => {
    const server = await s3()
    const onDisk = { FORGELET_DATA: folder() }
    const first = await serve(onDisk)
    const pictures = await Promise.all(Array.from({ length: 5 }, (_, index) => png(10 + index)))
    const topics: number[] = []
    for (const [index, picture] of pictures.entries()) {
      const form = formWith(picture, { name: `topic-${index}`, title: 'x' })
      topics.push((await first.client.send('POST', '/topics', { form })).body.id)
    }
    await first.stop()

    const onS3 = { ...onDisk, ...server.environment() }
    const back = { ...onDisk, ...server.environment({ read_only: 'true' }) }
    for (const [env, storage, all] of [
      [onS3, 's3', 5],
      [back, 'disk', 6],
    ] as const) {
      const running = await serve(env)
      const moving = new AbortController()
      const watching = (async () => {
        let looks = 0
        while (!moving.signal.aborted || looks === 0) {
          for (const [index, id] of topics.entries()) {
            const shown = await fetch(
              `${running.url}/uploads/-/system/projects/topic/avatar/${id}/avatar.png`,
            )
            expect([shown.status, Buffer.from(await shown.arrayBuffer())]).toEqual([200, pictures[index]])
          }
          looks += 1
        }
      })()
      const move = forgelet(['files', 'move'], env)
      const code = await move.ended
      moving.abort()
      await watching
      expect([code, move.err()]).toEqual([0, ''])
      expect(move.out()).toMatch(new RegExp(`^moved ${all} of ${all} files .* to ${storage}, 0 failed\n$`))
      if (storage === 's3') {
        const added = await png(50)
        pictures.push(added)
        const form = formWith(added, { name: 'another', title: 'x' })
        topics.push((await running.client.send('POST', '/topics', { form })).body.id)
        expect(server.keys()).toHaveLength(6)
      }
      await running.stop()
    }
  }, 180_000)

  test('works without a server, and names what it cannot move', async () => {
    const server = await s3()
    const data = folder()
    const running = await serve({ FORGELET_DATA: data })
    await running.client.send('PUT', '/user/avatar', { form: formWith(await png()) })
    await running.stop()
    const [key = ''] = filesBelow(join(data, 'files'))
    writeFileSync(join(data, 'files', key), 'damaged')
    const move = forgelet(['files', 'move'], { FORGELET_DATA: data, ...server.environment() })
    expect(await move.ended).toBe(1)
    expect(move.err()).toContain(`${key}): its bytes are not those that were stored`)
    expect(move.out()).toMatch(/^moved 0 of 1 files .* to s3, 1 failed\n$/)
  }, 180_000)
})

test('a folder of files that is none is 503 for an upload', async () => {
  const data = folder()
  const running = await serve({ FORGELET_DATA: data })
  writeFileSync(join(data, 'files'), 'not a folder')
  const refused = await running.client.send('PUT', '/user/avatar', { form: formWith(await png()) })
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('file storage')])
  await running.stop()
})

test('--ephemeral refuses to keep files anywhere else', async () => {
  const env = { FORGELET_BLOBS: 's3://bucket', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  const program = forgelet(['--ephemeral'], env)
  expect([await program.ended, program.err()]).toEqual([2, expect.stringContaining('unset FORGELET_BLOBS')])
})
