import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { digestOf, FakeRegistry } from '#test/fake-registry.ts'
import { forgelet } from '#test/program/in-process.ts'
import { dataFolder, giveUpOn, killEverything, start, TOKEN } from './killing.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const SIZE = 6_000_000
const SENT = 4_000_000

test(
  'killed while it downloads a blob, a server keeps nothing half, and goes on where it was',
  { timeout: 180_000 },
  async () => {
    const source = await FakeRegistry.open()
    cleanups.push(() => source[Symbol.asyncDispose]())
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    const headers = { 'private-token': TOKEN }
    let api = new Client(server.url, headers)
    const terms = [
      '--plan=premium',
      '--company=x',
      '--name=x',
      '--email=x',
      '--users=0',
      '--expires=2999-01-01',
    ]
    const { out: license } = await forgelet(['license', 'issue', ...terms], { FORGELET_DATA: data })
    expect((await api.post('/license', { license })).status).toBe(201)
    await api.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    await api.post('/features/container_virtual_registries', { value: true })
    const { body: group } = await api.post('/groups', { name: 'crash', path: 'crash' })
    const base = '/virtual_registries/container'
    const { body: registry } = await api.post(`/groups/${group.id}/-${base}/registries`, { name: 'crash' })
    const { body: upstream } = await api.post(`${base}/registries/${registry.id}/upstreams`, {
      name: 'source',
      url: source.url,
    })
    const pull = (digest: string) =>
      fetch(`${server.url}/v2${base}/${registry.id}/a/blobs/${digest}`, {
        headers: { authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}` },
      })
    const kept = async () => (await api.get(`${base}/upstreams/${upstream.id}/cache_entries`)).body
    const spool = join(data, 'registry-spool')

    const blob = randomBytes(SIZE)
    const { digest } = source.blob(blob)
    source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': SIZE }).write(blob.subarray(0, SENT))
      return true
    }
    const broken = pull(digest).then((answer) => answer.arrayBuffer())
    broken.catch(() => {})
    await expect
      .poll(async () => {
        const [name] = await readdir(spool).catch(() => [])
        return name === undefined ? 0 : (await stat(join(spool, name))).size
      })
      .toBe(SENT)
    await killEverything(server.child, data)
    const killed = new Date()
    await expect(broken).rejects.toThrow(/terminated|fetch failed/)

    source.behave = () => false
    source.questions.length = 0
    server = await start(data)
    api = new Client(server.url, headers)
    expect(await kept()).toEqual([])
    await giveUpOn(data, killed)
    const answer = await pull(digest)
    expect([answer.status, digestOf(Buffer.from(await answer.arrayBuffer()))]).toEqual([200, digest])
    expect(source.questions.map((question) => question.headers.range)).toEqual([undefined, `bytes=${SENT}-`])
    await expect.poll(kept).toMatchObject([{ digest, size: SIZE }])
    await expect.poll(() => readdir(spool)).toEqual([])
  },
)
