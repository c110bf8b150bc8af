import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { s3, s3Installed } from '#test/s3.ts'
import { systemRandomness } from '#platform/context.ts'
import type { Files, StoredFile } from './files.ts'
import { moveFiles, type MoveProgress } from './move-files.ts'
import { LARGE, openFiles } from './test-support.ts'

/** Files on disk, and the same instance configured with S3. */
async function openBoth(count: number) {
  const server = await s3()
  const opened = await openFiles()
  const contents = Array.from({ length: count }, (_, index) => randomBytes(1_000 + index))
  const stored: StoredFile[] = []
  for (const content of contents) stored.push(await opened.files.store(content, { max: LARGE }))
  const onS3 = opened.configured(server.environment({ timeout: '10' }))
  const back = opened.configured(server.environment({ timeout: '10', read_only: 'true' }))
  const move = (
    files: Files,
    options: { signal?: AbortSignal; onProgress?: (p: MoveProgress) => void } = {},
  ) =>
    moveFiles({
      files,
      db: opened.db,
      random: systemRandomness,
      onProgress: () => {},
      signal: new AbortController().signal,
      ...options,
    })
  const shown = (by: Files) =>
    Promise.all(
      stored.map(async ({ id }) => {
        const file = await by.find(id)
        return file && opened.readBack(file, by)
      }),
    )
  return { ...opened, server, contents, stored, onS3, back, move, shown }
}

describe.skipIf(!s3Installed)('moving', () => {
  test('brings all files to S3 and back, and removes the old bytes later', async () => {
    const { contents, onS3, back, move, shown, age, cleanUp, refer, stored, onDisk, server, leftovers } =
      await openBoth(12)
    await refer(stored[0]?.id ?? null)
    const steps: number[] = []
    const moved = await move(onS3, { onProgress: (progress) => steps.push(progress.moved.files) })
    const bytes = contents.reduce((sum, content) => sum + content.length, 0)
    expect(moved).toEqual({ moved: { files: 12, bytes }, all: { files: 12, bytes }, failed: [] })
    expect(steps.at(-1)).toBe(12)
    expect(await shown(onS3)).toEqual(contents)
    expect([server.keys().length, onDisk().length, (await leftovers()).length]).toEqual([12, 12, 12])
    await cleanUp()
    expect(onDisk()).toHaveLength(12)
    expect(await move(onS3)).toMatchObject({ moved: { files: 0 }, all: { files: 0 } })
    expect(await move(back)).toMatchObject({ moved: { files: 12 }, failed: [] })
    expect(await shown(back)).toEqual(contents)
    await age()
    await onS3.removeLeftovers(new AbortController().signal)
    expect([server.keys().length, onDisk().length, (await leftovers()).length]).toEqual([0, 12, 0])
    expect(await shown(back)).toEqual(contents)
  })

  test('may be stopped at any moment, goes on where it was, and two at once do no harm', async () => {
    const { contents, onS3, move, shown, leftovers, server } = await openBoth(12)
    const stop = new AbortController()
    const onProgress = ({ moved }: MoveProgress) => moved.files >= 3 && stop.abort()
    const first = await move(onS3, { signal: stop.signal, onProgress })
    expect(first.moved.files).toBeGreaterThanOrEqual(3)
    expect(first.moved.files).toBeLessThan(12)
    expect(await shown(onS3)).toEqual(contents)
    const [one, other] = await Promise.all([move(onS3), move(onS3)])
    expect(first.moved.files + one.moved.files + other.moved.files).toBe(12)
    expect(server.keys()).toHaveLength(12)
    expect((await leftovers()).map(({ state }) => state)).toEqual(Array(12).fill('removing'))
    expect(await shown(onS3)).toEqual(contents)
  })

  test('a reader who found the file before it was moved gets it, also when the old bytes are gone', async () => {
    const { contents, stored, onS3, move, age, cleanUp, refer, readBack, onDisk } = await openBoth(1)
    await refer(stored[0]?.id ?? null)
    await move(onS3)
    await age()
    await cleanUp()
    expect(onDisk()).toEqual([])
    expect(stored[0] && (await readBack(stored[0], onS3))).toEqual(contents[0])
  })

  test('leaves where it is what is not what was stored, and says so', async () => {
    const { data, stored, onS3, move, server, leftovers } = await openBoth(3)
    const [damaged, other] = stored
    await writeFile(join(data, 'files', damaged?.key ?? ''), 'something else')
    const { moved, failed } = await move(onS3)
    expect(moved.files).toBe(2)
    expect(failed).toMatchObject([
      { file: { id: damaged?.id }, reason: expect.stringContaining('digest differs') },
    ])
    expect(await onS3.find(damaged?.id ?? '')).toMatchObject({ storage: 'disk' })
    expect(await onS3.find(other?.id ?? '')).toMatchObject({ storage: 's3' })
    expect([server.keys().length, (await leftovers()).length]).toEqual([2, 2])
  })

  test('leaves files where they are while S3 is away', async () => {
    const { contents, onS3, move, shown, server } = await openBoth(2)
    server.control.behave = () => 'refuse'
    const { moved, failed } = await move(onS3)
    expect([moved.files, failed.map(({ reason }) => reason)]).toEqual([
      0,
      Array(2).fill('S3 answered 403: SlowDown'),
    ])
    expect(await shown(onS3)).toEqual(contents)
    server.control.behave = () => 'pass'
    expect((await move(onS3)).moved.files).toBe(2)
  })

  test('a file in S3 is 503 where nobody says how to reach it', async () => {
    const { stored, files, onS3, move } = await openBoth(1)
    await move(onS3)
    const file = await files.find(stored[0]?.id ?? '')
    expect(file?.storage).toBe('s3')
    await expect(file && files.read(file)).rejects.toMatchObject({
      kind: 'busy',
      cause: { message: expect.stringContaining('FORGELET_BLOBS') },
    })
  })
})
