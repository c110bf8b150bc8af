import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { age, collect, repositoryOf } from './garbage-test-support.ts'
import { imageOf, withImages } from './test-support.ts'

test('pushes and clean-ups at the same time: what a push was told is there stays until it names it', async () => {
  const { project, name, developer } = await withImages()
  const shared = await developer.blob(name)
  const { id } = await repositoryOf(project)
  const push = async (tag: string) => {
    // As clients do: what is there is not sent again.
    const head = await developer.ask(`${name}/blobs/${shared.digest}`, { method: 'HEAD' })
    if (head.status !== 200) await developer.blob(name, shared.bytes)
    const config = await developer.blob(name, randomBytes(50))
    expect((await developer.manifest(name, tag, imageOf(config, [shared]))).status).toBe(201)
    return { config, found: head.status === 200 }
  }
  const found = new Set<boolean>()
  for (let round = 0; round < 42; round += 1) {
    await developer.ask(`${name}/manifests/latest`, { method: 'DELETE' })
    await age(id)
    // From a clean-up that is 10 ms ahead of the push to one that is 10 ms behind it.
    const ahead = 10 - (round % 21)
    const over = new AbortController()
    const cleaning = (async () => {
      await setTimeout(Math.max(0, -ahead))
      do await collect(id)
      while (!over.signal.aborted)
    })()
    try {
      await setTimeout(Math.max(0, ahead))
      const pushed = await push('latest')
      found.add(pushed.found)
      for (const { digest } of [pushed.config, shared])
        expect((await developer.ask(`${name}/blobs/${digest}`)).status).toBe(200)
      expect((await developer.ask(`${name}/manifests/latest`)).status).toBe(200)
    } finally {
      over.abort()
      await cleaning
    }
  }
  // Both were seen: the clean-up came first, and the push did.
  expect(found).toEqual(new Set([true, false]))
})
