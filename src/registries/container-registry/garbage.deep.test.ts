import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { age, collect, repositoryOf } from './garbage-test-support.ts'
import { imageOf, withImages } from './test-support.ts'

test('pushes and clean-ups at the same time: whatever was pushed can be pulled', async () => {
  const { project, name, developer } = await withImages()
  const shared = await developer.blob(name)
  const { id } = await repositoryOf(project)
  const over = new AbortController()
  const cleaning = (async () => {
    while (!over.signal.aborted) {
      await age(id)
      await collect(id)
    }
  })()
  const push = async (tag: string) => {
    // As clients do: what is there is not sent again.
    for (;;) {
      const config = await developer.blob(name, randomBytes(50))
      const head = await developer.ask(`${name}/blobs/${shared.digest}`, { method: 'HEAD' })
      if (head.status === 404) await developer.blob(name, shared.bytes)
      const put = await developer.manifest(name, tag, imageOf(config, [shared]))
      if (put.status === 201) return config
      // The test makes everything old at once, so the clean-up may be between; a refusal says so.
      expect([put.status, put.code]).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
    }
  }
  try {
    for (let n = 0; n < 8; n += 1) {
      const config = await push(`v${n}`)
      for (const digest of [config.digest, shared.digest])
        expect((await developer.ask(`${name}/blobs/${digest}`)).status).toBe(200)
      expect((await developer.ask(`${name}/manifests/v${n}`)).status).toBe(200)
    }
  } finally {
    over.abort()
    await cleaning
  }
})
