import { describe, expect, onTestFinished, test } from 'vitest'
import { s3, s3Installed } from '#test/s3.ts'
import { openWorld } from '#test/world.ts'
import { basicOf, LFS_TYPE, lfsObject } from './test-support.ts'

describe.skipIf(!s3Installed)('with S3', () => {
  test.each([
    ['through the server', undefined],
    ['by a signed URL, where these are configured', 'true'],
  ])('an object comes %s', async (_, signed) => {
    const bucket = await s3()
    const own = await openWorld(
      undefined,
      undefined,
      bucket.environment(signed === undefined ? {} : { signed_urls: signed }),
    )
    onTestFinished(() => own.running.stop())
    const { fullPath, developer } = await own.project()
    const object = lfsObject('a large file')
    const headers = { accept: LFS_TYPE, 'content-type': LFS_TYPE, ...basicOf(developer.token) }
    const batch = async (operation: string) => {
      const answer = await fetch(`${own.url}/${fullPath}.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ operation, objects: [{ oid: object.oid, size: object.size }] }),
      })
      return JSON.parse(await answer.text()).objects[0].actions
    }
    const { upload } = await batch('upload')
    const body = new Uint8Array(object.bytes)
    expect((await fetch(upload.href, { method: 'PUT', headers: upload.header, body })).status).toBe(200)
    expect(bucket.keys()).toHaveLength(1)
    const { download } = await batch('download')
    expect(download.href.startsWith(own.url)).toBe(signed === undefined)
    // Whoever has a signed URL needs nothing else, and must not send a credential to the other server.
    expect(download.header === undefined).toBe(signed !== undefined)
    const found = await fetch(download.href, { headers: download.header })
    expect([found.status, await found.text()]).toEqual([200, 'a large file'])
  })
})
