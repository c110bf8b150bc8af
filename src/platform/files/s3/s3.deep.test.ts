import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Fault, s3, s3Installed } from '#test/s3.ts'
import { chunks, LARGE, openFiles, sha256 } from '../test-support.ts'
import { answerTo } from '#platform/http/errors.ts'
import { Refusal } from '#platform/refusals.ts'

const MB = 1024 * 1024

/** A store on S3, with requests that fail for `silence` seconds at most. */
async function openOnS3(more: Record<string, string> = { timeout: '10' }) {
  const server = await s3()
  return { ...(await openFiles(server.environment(more))), server }
}

/** The first requests that match fail in this way. */
function firstFail(times: number, fault: Fault, matching: RegExp) {
  let failed = 0
  return (method: string, url: string): Fault => {
    if (failed >= times || !matching.test(`${method} ${url}`)) return 'pass'
    failed += 1
    return fault
  }
}

const errorOf = (refused: Promise<unknown>) =>
  refused.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      const { status, body } = answerTo(error)
      return { status, body }
    },
  )

describe.skipIf(!s3Installed)('on S3', () => {
  test('a file is read as it was streamed in, whole and in parts, and nothing is on the disk', async () => {
    const { files, readBack, onDisk, leftovers, server } = await openOnS3()
    const data = randomBytes(300_000)
    const file = await files.store(data, { max: LARGE })
    expect(file).toMatchObject({ storage: 's3', sha256: sha256(data), size: 300_000 })
    expect(await readBack(file)).toEqual(data)
    const part = await files.read(file, { start: 299_990, end: 299_999 })
    expect(part && (await buffer(part))).toEqual(data.subarray(299_990))
    expect([onDisk(), await leftovers(), server.keys()]).toEqual([[], [], [file.key]])
    const empty = await files.store(new Uint8Array(), { max: 0 })
    expect(await readBack(empty)).toEqual(Buffer.alloc(0))
  })

  test('a large file goes in parts, and the parts make the file', async () => {
    const { files, readBack, server } = await openOnS3()
    const data = randomBytes(20 * MB)
    async function* sent() {
      for (let at = 0; at < data.length; at += 3 * MB) yield data.subarray(at, at + 3 * MB)
    }
    const file = await files.store(sent(), { max: LARGE })
    expect([file.size, file.sha256]).toEqual([data.length, sha256(data)])
    expect(server.control.requests.filter((line) => line.includes('partNumber='))).toHaveLength(3)
    const read = await readBack(file)
    expect(read && data.equals(read)).toBe(true)
    expect(await server.uploads()).toBe(0)
  })

  test('the same bytes are kept once, however many are stored at the same moment', async () => {
    const { files, rows, leftovers, server } = await openOnS3()
    const data = randomBytes(100_000)
    const stored = await Promise.all(Array.from({ length: 8 }, () => files.store(data, { max: LARGE })))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1)
    expect([(await rows()).length, server.keys(), await leftovers()]).toEqual([1, [stored[0]?.key], []])
  })

  test('what is above its maximum, or whose sender goes away, leaves nothing, not in parts either', async () => {
    const { files, rows, leftovers, server } = await openOnS3()
    const tooLarge = files.store(chunks(Array.from({ length: 10 }, () => MB)), { max: 9 * MB })
    await expect(tooLarge).rejects.toMatchObject({ kind: 'too large' })
    async function* broken() {
      yield randomBytes(9 * MB)
      throw new Error('the client is gone')
    }
    await expect(files.store(broken(), { max: LARGE })).rejects.toThrow('the client is gone')
    expect([await rows(), await leftovers(), server.keys(), await server.uploads()]).toEqual([[], [], [], 0])
  })

  // These wait for most of their time, so all of them wait at once.
  test('uploads and reads go on when requests are answered with "busy", "cut" or "hang"', async () => {
    const goesOn = async (fault: Fault) => {
      const { files, readBack, server, rows, leftovers } = await openOnS3({
        timeout: fault === 'hang' ? '2' : '10',
      })
      const data = randomBytes(10_000)
      const times = fault === 'hang' ? 1 : 2
      server.control.behave = firstFail(times, fault, /^PUT/)
      const file = await files.store(data, { max: LARGE })
      server.control.behave = firstFail(times, fault, /^GET/)
      expect({ fault, read: await readBack(file) }).toEqual({ fault, read: data })
      expect([fault, (await rows()).length, await leftovers(), server.keys()]).toEqual([
        fault,
        1,
        [],
        [file.key],
      ])
    }
    await Promise.all((['busy', 'cut', 'hang'] as const).map(goesOn))
  })

  test('a large upload goes on when a part and the end of it fail', async () => {
    const { files, readBack, server } = await openOnS3()
    const data = randomBytes(10 * MB)
    const part = firstFail(1, 'cut', /partNumber=2/)
    // The end is carried out, and its answer is lost: asked again, the upload is not there any more.
    const end = firstFail(1, 'cut the answer', /^POST .*uploadId=/)
    server.control.behave = (method, url) => {
      const fault = part(method, url)
      return fault === 'pass' ? end(method, url) : fault
    }
    const file = await files.store(data, { max: LARGE })
    const read = await readBack(file)
    expect(read && data.equals(read)).toBe(true)
    const asked = (pattern: RegExp) => server.control.requests.filter((line) => pattern.test(line)).length
    expect([asked(/partNumber=2/), asked(/^POST .*uploadId=/)]).toEqual([2, 2])
  })

  test('a large upload whose beginning is answered twice leaves no second one open', async () => {
    const { files, server } = await openOnS3()
    const opening = /^POST .*uploads=/
    server.control.behave = firstFail(1, 'cut the answer', opening)
    await files.store(randomBytes(9 * MB), { max: LARGE })
    expect(server.control.requests.filter((line) => opening.test(line))).toHaveLength(2)
    expect(await server.uploads()).toBe(0)
  })

  test('a download whose connection is cut is read on from where it was', async () => {
    const { files, readBack, server } = await openOnS3()
    const data = randomBytes(2 * MB)
    const file = await files.store(data, { max: LARGE })
    server.control.behave = firstFail(3, 'cut the answer', /^GET/)
    server.control.requests.length = 0
    const read = await readBack(file)
    expect(read && data.equals(read)).toBe(true)
    expect(server.control.requests).toHaveLength(4)
  })

  test('when all requests are answered with "busy", "refuse" or "cut" it is 503 with a sentence, and what is left goes later; a server that is silent is given up in seconds', async () => {
    const unavailable = (fault: Fault) => ({
      fault,
      status: 503,
      body: { message: expect.stringContaining('the file storage does not answer') },
    })
    const isRefused = async (fault: Fault) => {
      const { files, server, rows, leftovers, age, cleanUp, readBack } = await openOnS3()
      const file = await files.store(randomBytes(10), { max: LARGE })
      server.control.behave = () => fault
      const refusals = [
        await errorOf(files.store(randomBytes(10), { max: LARGE })),
        await errorOf(readBack(file)),
      ]
      for (const refusal of refusals) expect({ fault, ...refusal }).toMatchObject(unavailable(fault))
      expect([fault, (await rows()).length, (await leftovers()).length]).toEqual([fault, 1, 1])
      server.control.behave = () => 'pass'
      await age()
      await cleanUp()
      expect([fault, await rows(), await leftovers(), server.keys()]).toEqual([fault, [], [], []])
    }
    const isGivenUp = async () => {
      const { files, server, readBack } = await openOnS3({ timeout: '2' })
      const file = await files.store(randomBytes(10), { max: LARGE })
      server.control.behave = () => 'hang'
      await expect(readBack(file)).rejects.toMatchObject({
        kind: 'busy',
        cause: { message: expect.stringContaining('silent') },
      })
    }
    await Promise.all([...(['busy', 'refuse', 'cut'] as const).map(isRefused), isGivenUp()])
  })

  test('wrong keys are 503, and the cause is what S3 said', async () => {
    const server = await s3()
    const { files } = await openFiles({ ...server.environment(), FORGELET_BLOBS_SECRET: 'wrong' })
    await expect(files.store(randomBytes(10), { max: LARGE })).rejects.toMatchObject({
      kind: 'busy',
      cause: { message: expect.stringMatching(/SignatureDoesNotMatch/) },
    })
  })

  test('a process that is killed between two parts leaves an upload that the clean-up ends', async () => {
    const server = await s3()
    const env = server.environment()
    const { address, data, rows, leftovers, age, cleanUp } = await openFiles(env)
    const uploader = fileURLToPath(import.meta.resolve('#test/uploader.ts'))
    const child = spawn(process.execPath, [uploader], {
      env: {
        ...process.env,
        ...env,
        TEST_DATABASE: JSON.stringify(address),
        TEST_PART: String(9 * MB),
        FORGELET_DATA: data,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended
    expect([await server.uploads(), await rows(), (await leftovers()).length]).toEqual([1, [], 1])
    await age()
    await cleanUp()
    expect([await server.uploads(), await leftovers(), server.keys()]).toEqual([0, [], []])
  })

  test('a signed URL serves the bytes to whoever has it, as what we say they are', async () => {
    const { files } = await openOnS3({ signed_urls: 'true' })
    const data = randomBytes(1_000)
    const file = await files.store(data, { max: LARGE })
    const answer = { mediaType: 'image/png', disposition: 'inline; filename="a b.png"' }
    const url = await files.signedUrl(file, answer)
    const served = await fetch(url ?? '')
    expect(served.status).toBe(200)
    expect(served.headers.get('content-type')).toBe('image/png')
    expect(served.headers.get('content-disposition')).toBe('inline; filename="a b.png"')
    expect(Buffer.from(await served.arrayBuffer())).toEqual(data)
    expect((await fetch(String(url).replace(/Signature=.{8}/, 'Signature=00000000'))).status).toBe(403)
  })

  test('its sender is read no faster than S3 takes the parts', async () => {
    const { files, server } = await openOnS3()
    let sent = 0
    async function* many() {
      for (; sent < 100; sent += 1) yield randomBytes(MB)
    }
    server.control.behave = (_, url) => (url.includes('partNumber=2') ? 'refuse' : 'pass')
    await expect(files.store(many(), { max: LARGE })).rejects.toMatchObject({ kind: 'busy' })
    expect(sent).toBeLessThanOrEqual(17)
    expect([server.keys(), await server.uploads()]).toEqual([[], 0])
  })
})
