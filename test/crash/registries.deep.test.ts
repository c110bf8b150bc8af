import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Registry } from '#registries/container-registry/test-support.ts'
import { Client } from '#test/client.ts'
import { digestOf } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { dataFolder, giveUpOn, killEverything, onDatabase, start, TOKEN } from './killing.ts'

const NAME = 'root/images'
/** How many times everything is killed, and what has been acknowledged between two of them. */
const KILLS = 3
const BETWEEN = 12

type Image = Awaited<ReturnType<Registry['image']>> & { readonly tag: string }
interface Published {
  readonly version: string
  readonly content: string
}

/** What was acknowledged. */
interface Kept {
  readonly images: Image[]
  readonly packages: Published[]
}

/** Pushes images and publishes packages until the server is gone. */
async function work(url: string, round: number, kept: Kept, isOver: () => boolean): Promise<void> {
  const registry = new Registry(TOKEN, 'root', url)
  const api = new Client(url, { 'private-token': TOKEN })
  for (let n = 0; !isOver(); n += 1) {
    const tag = `r${round}-${n}-${randomBytes(3).toString('hex')}`
    const content = randomBytes(20_000).toString('hex')
    try {
      const image = await registry.image(NAME, tag)
      kept.images.push({ ...image, tag })
      const path = `/projects/1/packages/generic/tool/${tag}/tool`
      if ((await api.send('PUT', path, { form: content })).status === 201)
        kept.packages.push({ version: tag, content })
    } catch {
      // The server was killed in the middle.
    }
  }
}

/** Everything that was acknowledged is there, whole. */
async function expectAll(url: string, { images, packages }: Kept): Promise<void> {
  const registry = new Registry(TOKEN, 'root', url)
  const api = new Client(url, { 'private-token': TOKEN })
  for (const { tag, manifest, config, layer } of images) {
    const found = await registry.ask(`${NAME}/manifests/${tag}`)
    expect([tag, found.status, found.bytes.toString()]).toEqual([tag, 200, manifest])
    for (const { digest } of [config, layer]) {
      const blob = await registry.ask(`${NAME}/blobs/${digest}`)
      expect([digest, digestOf(blob.bytes)]).toEqual([digest, digest])
    }
  }
  for (const { version, content } of packages) {
    const { status, text } = await api.get(`/projects/1/packages/generic/tool/${version}/tool`)
    expect([version, status, text === content]).toEqual([version, 200, true])
  }
}

test(
  'a kill loses no image and no package that was acknowledged, and garbage is collected by whoever comes next',
  { timeout: 240_000 },
  async () => {
    const data = await dataFolder()
    const kept: Kept = { images: [], packages: [] }
    let server = await start(data)
    try {
      const api = new Client(server.url, { 'private-token': TOKEN })
      expect((await api.post('/projects', { name: 'images' })).body.id).toBe(1)
      for (let round = 0; round < KILLS; round += 1) {
        let isOver = false
        const working = Array.from({ length: 3 }, () => work(server.url, round, kept, () => isOver))
        await until(() => expect(kept.packages.length).toBeGreaterThan(BETWEEN * (round + 1)))
        isOver = true
        await killEverything(server.child, data)
        const killed = new Date()
        await Promise.all(working)
        server = await start(data)
        await giveUpOn(data, killed)
        await expectAll(server.url, kept)
      }

      // Blobs that nobody names, all of them old; and a tag that goes, with its manifest.
      const registry = new Registry(TOKEN, 'root', server.url)
      const orphans: { readonly digest: string }[] = []
      for (let n = 0; n < 20; n += 1) orphans.push(await registry.blob(NAME))
      const gone = kept.images.pop()
      expect((await registry.ask(`${NAME}/manifests/${gone?.tag}`, { method: 'DELETE' })).status).toBe(202)
      await onDatabase(data, async (pool) => {
        for (const table of ['container_blobs', 'container_manifests'])
          await pool.query(`update ${table} set touched_at = now() - interval '3 days'`)
        await pool.query(`select graphile_worker.add_job('container-registry/collect-garbage', '{}')`)
      })
      await killEverything(server.child, data)
      const killed = new Date()
      server = await start(data)
      await giveUpOn(data, killed)
      await onDatabase(data, (pool) =>
        pool.query(`select graphile_worker.add_job('container-registry/collect-garbage', '{}')`),
      )
      const digests = [...orphans, ...(gone === undefined ? [] : [gone.layer])].map(({ digest }) => digest)
      // Not by asking for them: what a client has asked for is kept for a day.
      await onDatabase(data, (pool) =>
        until(async () => {
          const { rows } = await pool.query(
            `select from container_blobs where 'sha256:' || encode(digest, 'hex') = any($1)`,
            [digests],
          )
          expect(rows).toEqual([])
        }),
      )
      const after = new Registry(TOKEN, 'root', server.url)
      for (const digest of digests) expect((await after.ask(`${NAME}/blobs/${digest}`)).status).toBe(404)
      await expectAll(server.url, kept)
    } finally {
      await killEverything(server.child, data)
    }
  },
)
