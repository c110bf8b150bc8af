import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { programEnvironment } from '#test/environment.ts'
import { RawConnection } from '#test/raw.ts'
import { type Actor, w } from '#test/world.ts'

const MiB = 1024 * 1024
const script = fileURLToPath(new URL('measured-server.ts', import.meta.url))
const server = fork(script, {
  execArgv: ['--expose-gc'],
  env: { ...programEnvironment(), ...w.environment, FORGELET_PORT: '0' },
})
afterAll(async () => {
  server.kill('SIGKILL')
  await once(server, 'exit')
})

let url: string
let issues: string
let by: Actor
beforeAll(async () => {
  const [said] = await once(server, 'message')
  url = said.url
  const { id, maintainer } = await w.project()
  by = maintainer
  issues = `/api/v4/projects/${id}/issues`
})

interface Memory {
  readonly held: number
  readonly rss: number
}

/** What the server holds once it has collected its garbage. */
async function memory(): Promise<Memory> {
  const answer = once(server, 'message')
  server.send('memory')
  const [said] = await answer
  return said
}

/** Once nothing of earlier requests is left: what the first round lets go of may hold something else. */
async function memoryAtRest(): Promise<Memory> {
  await memory()
  await pause(500)
  return memory()
}

/** Waits until the server is as large as it was, within a tenth: what is let go of is given back in the background. */
async function givenBack(before: Memory): Promise<Memory> {
  let now = await memory()
  for (let wait = 0; wait < 200 && (now.rss > before.rss * 1.1 || now.held > before.held * 1.1); wait += 1) {
    await pause(100)
    now = await memory()
  }
  return now
}

const json = { 'content-type': 'application/json' }
const token = () => ({ 'private-token': by.token })

/** Bodies as large as they may be, that are refused when they have been read. */
async function sendLarge(count: number): Promise<void> {
  const body = `{"title":"","description":"${'\\u0041'.repeat(2 * MiB)}"}`
  const client = new Client(url, token())
  const send = async () =>
    (await client.send('POST', `${url}${issues}`, { form: body, headers: json })).status
  expect(await Promise.all(Array.from({ length: count }, send))).toEqual(Array(count).fill(400))
}

/** Bodies that come to nothing: a part of each, and then a byte now and then. */
async function trickle(count: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(url)))
  for (const connection of connections) {
    connection.head(`POST ${issues}`, { ...json, ...token(), 'content-length': 12 * MiB })
    connection.write(Buffer.alloc(2 * MiB, ' '))
  }
  const begun = performance.now()
  while (connections.some(({ socket }) => !socket.closed)) {
    for (const { socket } of connections) if (socket.writable) socket.write(' ')
    await pause(100)
  }
  expect(performance.now() - begun).toBeLessThan(20_000)
  for (const connection of connections) expect(await connection.status()).toBe(408)
}

test('the memory that hostile bodies took is given back', { timeout: 60_000 }, async () => {
  await sendLarge(2)
  await trickle(2)
  const before = await memoryAtRest()
  const trickling = trickle(40)
  await sendLarge(4)
  await trickling
  const after = await givenBack(before)
  console.log('bytes before and after hostile bodies', before, after)
  expect(after.held).toBeLessThan(before.held * 1.1)
  expect(after.rss).toBeLessThan(before.rss * 1.1)
})
