import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { NotStarted, ProcessStarter, type StartedProcess, StarterEnded } from './starter.ts'
import { until } from '#test/until.ts'

const starter = new ProcessStarter()
afterAll(() => starter.close())

const shell = (script: string, ...args: readonly string[]) => ({
  program: '/bin/sh',
  args: ['-c', script, 'sh', ...args],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin', GREETING: 'hello' },
})
/** The process that has started another one. */
const starterOf = ({ pid }: StartedProcess): number =>
  Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

it('passes arguments, environment, input, output, the exit code and the end of standard error', async () => {
  const one = await starter.start(
    shell('echo "$GREETING $1 $PWD"; cat; echo "oops\nü" >&2; exit 3', "a 'b'\n$c"),
  )
  one.stdin.end('input')
  expect(await text(one.stdout)).toBe("hello a 'b'\n$c /\ninput")
  expect(await one.ended).toEqual({ code: 3, stderr: 'oops\nü\n' })
})

it('keeps only the end of a long standard error', async () => {
  const one = await starter.start(shell('yes noise | head -c 100000 >&2; echo end >&2'))
  one.stdout.resume()
  const { stderr } = await one.ended
  expect([stderr.length, stderr.endsWith('noise\nend\n') || stderr.endsWith('end\n')]).toEqual([8_192, true])
})

it('passes large amounts both ways at the pace of the reader, each to whom it belongs', async () => {
  const megabyte = (fill: number) => Buffer.alloc(1024 * 1024, fill)
  const sizes = await Promise.all(
    [1, 2].map(async (fill) => {
      const cat = await starter.start(shell('cat'))
      void (async () => {
        for (let count = 0; count < 8; count += 1)
          if (!cat.stdin.write(megabyte(fill))) await once(cat.stdin, 'drain')
        cat.stdin.end()
      })()
      let size = 0
      for await (const piece of cat.stdout) {
        const bytes: Buffer = piece
        if (bytes.equals(megabyte(fill).subarray(0, bytes.length))) size += bytes.length
      }
      return size
    }),
  )
  expect(sizes).toEqual([8, 8].map((megabytes) => megabytes * 1024 * 1024))
})

it('reads large amounts into one buffer, one piece at a time, up to the end or the break', async () => {
  const one = await starter.start(shell('seq 1 500000; echo oops >&2; exit 3'), { oneBuffer: true })
  const buffers = new Set<ArrayBufferLike>()
  const digest = createHash('sha1')
  for await (const piece of one.pieces) {
    buffers.add(piece.buffer)
    // Nothing comes while a piece is looked at.
    const before = createHash('sha1').update(piece).digest('hex')
    if (digest.update(piece).copy().digest().readUInt8() < 8) await setTimeout(5)
    if (createHash('sha1').update(piece).digest('hex') !== before) throw new Error('the piece has changed')
  }
  const numbers = Array.from({ length: 500_000 }, (_, index) => `${index + 1}\n`).join('')
  expect(digest.digest('hex')).toBe(createHash('sha1').update(numbers).digest('hex'))
  expect([buffers.size, await one.ended]).toEqual([1, { code: 3, stderr: 'oops\n' }])

  const two = await starter.start(shell('exec yes'), { oneBuffer: true })
  let pieces = 0
  for await (const _ of two.pieces) {
    pieces += 1
    if (pieces === 3) two.kill()
  }
  expect((await two.ended).code).toBeNull()
  const three = await starter.start(shell('exec yes'), { oneBuffer: true })
  three.stdout.destroy()
  expect((await three.ended).code).not.toBe(0)
})

it('keeps the output of a process that has ended until somebody reads it, and ends then', async () => {
  const one = await starter.start(shell('echo output'))
  one.stdin.end()
  await until(() => expect(alive(one.pid)).toBe(false))
  const two = await starter.start(shell('exit 0'))
  two.stdout.resume()
  await two.ended
  expect(await text(one.stdout)).toBe('output\n')
  expect((await one.ended).code).toBe(0)
})

it('ends when nobody wants the output', async () => {
  const one = await starter.start(shell('exec yes'))
  one.stdout.destroy()
  expect((await one.ended).code).not.toBe(0)
})

it('does not mind a process that reads nothing of its input', async () => {
  const one = await starter.start(shell('echo done'))
  for (let count = 0; count < 20; count += 1) one.stdin.write(Buffer.alloc(100_000))
  expect(await text(one.stdout)).toBe('done\n')
  expect((await one.ended).code).toBe(0)
})

it('says why a program cannot be started', async () => {
  const none = starter.start({ ...shell(''), program: 'no-such-program' })
  await expect(none).rejects.toThrow(NotStarted)
  await expect(none).rejects.toThrow('ENOENT')
  await expect(starter.start({ ...shell(''), cwd: '/nowhere' })).rejects.toThrow('ENOENT')
  await expect(starter.start(shell('', 'a\0b'))).rejects.toThrow('null bytes')
})

it('ends a process with all that it has started', async () => {
  const one = await starter.start(shell('sleep 1000 & echo $!; wait'))
  const [line] = await once(one.stdout, 'data')
  const child = Number(String(line))
  expect([alive(one.pid), alive(child)]).toEqual([true, true])
  one.kill()
  one.stdout.resume()
  expect(await one.ended).toEqual({ code: null, stderr: '' })
  await until(() => expect([alive(one.pid), alive(child)]).toEqual([false, false]))
  one.kill()
})

it('gives a connection to a process as its output, and leaves it to the program afterwards', async () => {
  const { accepted, client } = await connection()
  const answer = text(client)
  accepted.write('before ')
  const one = await starter.start(shell('head -c 3000000 /dev/zero | tr "\\0" x; cat'), {
    to: { connection: accepted, as: 'plain' },
  })
  one.stdin.end(' input ')
  expect(await one.ended).toEqual({ code: 0, stderr: '' })
  accepted.end('after')
  expect(await answer).toBe(`before ${'x'.repeat(3_000_000)} input after`)
})

/** Both ends of a connection. */
async function connection(): Promise<{ accepted: Socket; client: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  const [accepted]: Socket[] = await once(server, 'connection')
  server.close()
  if (accepted === undefined) throw new Error('nothing came')
  return { accepted, client }
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

it('keeps nothing of processes whose output was closed before', async () => {
  const one = await starter.start(shell('cat'))
  const pid = starterOf(one)
  const before = descriptorsOf(pid)
  const { accepted, client } = await connection()
  accepted.destroy()
  for (let count = 0; count < 20; count += 1) {
    const none = starter.start(shell('cat'), { to: { connection: accepted, as: 'chunked' } })
    await expect(none).rejects.toThrow('its output is closed')
  }
  await until(() => expect(descriptorsOf(pid)).toBe(before))
  client.destroy()
  one.kill()
})

it('ends when the connection for its output is broken', async () => {
  for (const as of ['chunked', 'plain'] as const) {
    const { accepted, client } = await connection()
    accepted.on('error', () => {})
    const one = await starter.start(shell('sleep 0.1; exec yes'), { to: { connection: accepted, as } })
    client.resetAndDestroy()
    expect((await one.ended).code).not.toBe(0)
    accepted.destroy()
  }
})

it('leaves to the program what comes from the connection that it gives to a process', async () => {
  for (const as of ['chunked', 'plain'] as const) {
    const { accepted, client } = await connection()
    const received: string[] = []
    accepted.on('data', (piece: Buffer) => received.push(String(piece)))
    const one = await starter.start(shell('cat'), { to: { connection: accepted, as } })
    for (let count = 0; count < 200; count += 1) {
      client.write(`${count} `)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() =>
      expect(received.join('')).toBe(Array.from({ length: 200 }, (_, count) => `${count} `).join('')),
    )
    one.stdin.end()
    await one.ended
    client.destroy()
    accepted.destroy()
  }
})

it('waits for the start of a process for a while only, and ends it when it starts late', async () => {
  const other = new ProcessStarter({ patience: 3_000 })
  const one = await other.start(shell('cat'))
  const pid = starterOf(one)
  const before = descriptorsOf(pid)
  process.kill(pid, 'SIGSTOP')
  const late = [1, 2, 3].map(() => other.start(shell('exec sleep 1000')))
  for (const refused of late) await expect(refused).rejects.toThrow('does not answer')
  process.kill(pid, 'SIGCONT')
  await until(() => expect(descriptorsOf(pid)).toBeLessThanOrEqual(before))
  one.stdin.end('still there')
  expect(await text(one.stdout)).toBe('still there')
  await other.close()
})

it('starts again when it was ended, and what it had started has ended with it', async () => {
  const one = await starter.start(shell('sleep 1000'))
  const first = starterOf(one)
  process.kill(first, 'SIGKILL')
  await expect(one.ended).rejects.toThrow(StarterEnded)
  await until(() => expect(alive(one.pid)).toBe(false))
  const two = await starter.start(shell('cat; exit 4'))
  expect(starterOf(two)).not.toBe(first)
  two.stdin.end()
  two.stdout.resume()
  expect((await two.ended).code).toBe(4)
})

it('starts again when somebody has removed its socket, and what it had started goes on', async () => {
  const one = await starter.start(shell('cat'))
  const first = starterOf(one)
  const socket = readFileSync(`/proc/${first}/cmdline`, 'utf8')
    .split('\0')
    .find((part) => part.endsWith('/socket'))
  rmSync(socket ?? '')
  await expect(starter.start(shell('cat'))).rejects.toThrow(StarterEnded)
  const two = await starter.start(shell('cat'))
  const second = starterOf(two)
  expect(second).not.toBe(first)
  one.stdin.end('one')
  two.stdin.end('two')
  expect([await text(one.stdout), await text(two.stdout)]).toEqual(['one', 'two'])
  expect(await one.ended).toEqual(await two.ended)
  await until(() => expect(alive(first)).toBe(false))
  const three = await starter.start(shell('cat'))
  expect(starterOf(three)).toBe(second)
  three.kill()
})

it('ignores the signals of a service, ends its processes at the end, and starts no more', async () => {
  const other = new ProcessStarter()
  const one = await other.start(shell('sleep 1000'))
  const pid = starterOf(one)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(pid, signal)
  expect(alive(one.pid)).toBe(true)
  await other.close()
  await expect(one.ended).rejects.toThrow(StarterEnded)
  await until(() => expect([alive(pid), alive(one.pid)]).toEqual([false, false]))
  await expect(other.start(shell(''))).rejects.toThrow(NotStarted)
})

const program = `
import { readFileSync } from 'node:fs'
import { ProcessStarter } from ${JSON.stringify(join(import.meta.dirname, 'starter.ts'))}
const starter = new ProcessStarter()
const start = (program) => starter.start({ program, args: ['1000'], cwd: '/', env: { PATH: '/usr/bin:/bin' } })
const one = await start('sleep')
const [, parent] = /^PPid:\\s+(\\d+)/m.exec(readFileSync(\`/proc/\${one.pid}/status\`, 'utf8'))
const socket = readFileSync(\`/proc/\${parent}/cmdline\`, 'utf8').split('\\0').at(-2)
console.log(JSON.stringify({ pids: [Number(parent), one.pid], socket }))
`

/** Runs that program with something more. @returns what it has said */
async function run(more: string): Promise<{ pids: readonly number[]; socket: string; rest: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program + more,
  ]).catch((error: unknown) => error as { stdout: string })
  const [line = '', rest = ''] = stdout.split('\n')
  return { ...JSON.parse(line), rest }
}

it('ends with its program, however that ends, and leaves nothing', async () => {
  const ends = [
    "process.kill(process.pid, 'SIGKILL')",
    'process.exit(1)',
    "throw new Error('a defect')",
    // While the starter is about to tell of others.
    `const all = await Promise.all(Array.from({ length: 20 }, () => start('sleep')))
     for (const { pid } of [...all, process]) process.kill(pid, 'SIGKILL')`,
  ]
  for (const { pids, socket } of await Promise.all(ends.map(run))) {
    expect(pids.length).toBe(2)
    await until(() =>
      expect([...pids.map(alive), existsSync(dirname(socket))]).toEqual([false, false, false]),
    )
  }
})

it('does not keep a program running that needs no process any more', async () => {
  const { pids, rest } = await run("one.kill(); one.stdout.resume(); await one.ended; console.log('over')")
  expect(rest).toBe('over')
  await until(() => expect(pids.map(alive)).toEqual([false, false]))
})
