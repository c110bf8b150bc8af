import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFolder } from '#platform/db/embedded/lock.ts'
import { folder } from './helpers.ts'

test('a folder has one owner, who is named to others', async () => {
  const data = folder()
  const lock = await lockFolder(data)
  await expect(lockFolder(data)).rejects.toThrow(`(process ${process.pid}) is using the data folder`)
  await lock.release()
  await (await lockFolder(data)).release()
})

test('an owner that hangs up is letting go, so the next one waits for it', async () => {
  const data = folder()
  let asked = 0
  const ending = createServer((socket) => {
    asked += 1
    socket.destroy()
    if (asked === 2) ending.close()
  })
  await new Promise<void>((resolve) => ending.listen(join(data, 'forgelet.lock'), resolve))
  const lock = await lockFolder(data)
  expect(asked).toBe(2)
  await lock.release()
})

test('an owner that never lets go keeps the folder, although it says nothing', async () => {
  const data = folder()
  const silent = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => silent.listen(join(data, 'forgelet.lock'), resolve))
  await expect(lockFolder(data)).rejects.toThrow('Another Forgelet is using the data folder')
  await new Promise((resolve) => silent.close(resolve))
})
