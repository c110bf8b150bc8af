import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GitBusy, GitFailed, meaningOfFailure, OutputTooLarge } from '../errors.ts'
import { assertGit } from '../version.ts'
import { gitEnvironment } from './environment.ts'
import { Git } from './git.ts'
import { memories } from './lanes.ts'
import { Slots } from './slots.ts'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { WorkBudget } from '#platform/shares/work-budget.ts'
import { until } from '#test/until.ts'

let folder: string
let git: Git

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-processes-'))
  git = new Git()
  await git.capture({ folder }, ['init', '--bare', '--quiet', '--template='])
})
afterAll(async () => {
  await git.close()
  await rm(folder, { recursive: true, force: true })
})

const limits = { atOnce: 2, each: 2, waiting: 2, patience: 10_000 }

describe('slots', () => {
  it('are given in the order of asking, no more at once than there are', async () => {
    const slots = new Slots(limits)
    const [first, second] = [await slots.take('user 1'), await slots.take('user 1')]
    const order: string[] = []
    const third = slots.take('user 1').then((free) => (order.push('third'), free))
    const fourth = slots.take('user 1').then((free) => (order.push('fourth'), free))
    expect([slots.taken, slots.waiting]).toEqual([2, 2])
    await expect(slots.take('user 1')).rejects.toThrow(GitBusy)
    first()
    first()
    const free = await third
    expect(order).toEqual(['third'])
    second()
    free()
    ;(await fourth)()
    expect([slots.taken, slots.waiting, order]).toEqual([0, 0, ['third', 'fourth']])
  })

  it('are refused with 503 and Retry-After when they take too long, or too many wait', async () => {
    const slots = new Slots({ ...limits, atOnce: 1, each: 1, waitingInAll: 2, patience: 20 })
    await slots.take('user 1')
    const refusedWith = (whose: string) => ({
      kind: 'busy',
      retryAfter: 5,
      says: expect.stringContaining(`too many ${whose} use repositories at once`),
    })
    const late = [slots.take('user 1'), slots.take('user 2')]
    await expect(slots.take('user 3')).rejects.toMatchObject(refusedWith('requests'))
    await expect(late[0]).rejects.toMatchObject(refusedWith('of your requests'))
    await expect(late[1]).rejects.toMatchObject(refusedWith('requests'))
    expect(slots.waiting).toBe(0)
  })

  it('are not kept for those who leave', async () => {
    const slots = new Slots({ ...limits, atOnce: 1 })
    const free = await slots.take(undefined)
    const leaving = new AbortController()
    const waiting = slots.take('user 1', leaving.signal)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    free()
    expect([slots.taken, slots.waiting]).toEqual([0, 0])
  })
})

describe('a git process', () => {
  it('knows nothing of the environment, and runs no hook', () => {
    const names = Object.keys(gitEnvironment({ folder }))
    expect(names.filter((name) => !name.startsWith('GIT_'))).toEqual(['PATH', 'HOME', 'LC_ALL', 'TZ'])
    expect(gitEnvironment({ folder })).toMatchObject({ HOME: '/nonexistent', GIT_DIR: folder })
  })

  it('is ended when it takes too long, writes too much, or nobody wants it any more', async () => {
    const slow = git.capture({ folder }, ['cat-file', '--batch'], { input: forever(), time: 100 })
    await expect(slow).rejects.toMatchObject({ kind: 'busy', retryAfter: 30 })
    const long = git.capture({ folder }, ['help', '--all'], { maxBytes: 10 })
    await expect(long).rejects.toThrow(OutputTooLarge)
    const leaving = new AbortController()
    const left = git.capture({ folder }, ['cat-file', '--batch'], {
      input: forever(),
      signal: leaving.signal,
    })
    await until(() => expect(git.usage()[0]?.running).toBe(1))
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    await until(() => expect(git.usage()[0]?.running).toBe(0))
  })

  it('have the whole time of their request, however long it waits for a slot', async () => {
    const other = new Git()
    const budget = new WorkBudget({ milliseconds: 60_000, bytes: 1024 })
    const inRequest = <T>(work: () => Promise<T>) => onBehalfOf(() => 'user 1', work, budget)
    // They wait for their input.
    const start = () => other.start(undefined, ['hash-object', '--stdin'], { lane: 'write' })
    const first = await Promise.all(Array.from({ length: 8 }, () => onBehalfOf(() => 'user 1', start)))
    const waiting = inRequest(start)
    const left = budget.left
    await until(() => expect(other.usage().find(({ lane }) => lane === 'write')?.waiting).toBe(1))
    await new Promise((resolve) => setImmediate(resolve))
    expect([left, budget.left]).toEqual([60_000, 60_000])
    first[0]?.kill()
    const last = await waiting
    last.stdout.resume()
    last.stdin.end()
    await last.ended
    expect(budget.left).toBeLessThan(60_000)
    await other.close()
  })

  it('has what is left of the time and the bytes of its request', async () => {
    const inRequest = <T>(work: () => Promise<T>, budget: ConstructorParameters<typeof WorkBudget>[0]) =>
      onBehalfOf(() => 'user 1', work, new WorkBudget(budget))
    const late = { kind: 'busy', retryAfter: 30 }
    await inRequest(
      async () => {
        const slow = () => git.capture({ folder }, ['cat-file', '--batch'], { input: forever() })
        await Promise.all([1, 2, 3].map(() => expect(slow()).rejects.toMatchObject(late)))
        await expect(git.text({ folder }, ['version'])).rejects.toMatchObject(late)
        await expect(git.readers.of({ folder }).info('refs/heads/nope')).rejects.toMatchObject(late)
        // What takes longer by nature has a time of its own.
        const options = { lane: 'transfer', time: 60_000 } as const
        expect(await git.text({ folder }, ['version'], options)).toMatch(/^git version/)
      },
      { milliseconds: 200, bytes: 1_000 },
    )
    await inRequest(
      async () => {
        expect(await git.text({ folder }, ['version'])).toMatch(/^git version/)
        const long = git.capture({ folder }, ['help', '--all'])
        await expect(long).rejects.toMatchObject({
          kind: 'too large',
          says: '413 Request Entity Too Large - one request reads too much of the repository',
        })
      },
      { milliseconds: 60_000, bytes: 1_000 },
    )
    await until(() => expect(git.usage().map(({ running }) => running)).toEqual([0, 0, 0, 0]))
  })

  it.each(['read', 'transfer', 'write', 'keep'] as const)(
    'has a bounded memory in the lane %s, and so has what it starts',
    async (lane) => {
      const told = await git.text({ folder }, ['-c', 'alias.memory=!ulimit -d', 'memory'], { lane })
      expect(Number(told) * 1024).toBe(memories[lane])
      const background = await git.text({ folder }, ['-c', 'alias.memory=!ulimit -d; nice', 'memory'], {
        lane,
        background: true,
      })
      expect(background).toBe(`${told.trim()}\n19\n`)
    },
  )

  it('fails with what git said, or with what it means', async () => {
    const failed = git.capture({ folder }, ['rev-parse', '--verify', 'refs/heads/nope'])
    await expect(failed).rejects.toThrow(GitFailed)
    const gone = git.capture({ folder: `${folder}-gone` }, ['for-each-ref'])
    await expect(gone).rejects.toMatchObject({ kind: 'busy' })
    const failure = (stderr: string) =>
      meaningOfFailure(new GitFailed({ repository: folder, command: 'x', exitCode: 128, stderr }))
    expect(failure('fatal: write error: No space left on device')).toMatchObject({ kind: 'full' })
    expect(failure('error: packed object abc (stored in x) is corrupt')).toMatchObject({ kind: 'busy' })
    expect(failure('fatal: something else')).toBeInstanceOf(GitFailed)
  })

  it('is answered for with 503 when what starts the processes is ended, and the next one works', async () => {
    const one = await git.start({ folder }, ['cat-file', '--batch'])
    const parent = /^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${one.pid}/status`, 'utf8'))?.[1]
    process.kill(Number(parent), 'SIGKILL')
    await expect(one.ended).rejects.toMatchObject({ kind: 'busy', retryAfter: 1 })
    expect(await git.text({ folder }, ['version'])).toMatch(/^git version/)
    await until(() => expect(git.usage()[0]?.running).toBe(0))
  })

  it('is not started after the end of the server, and none is left', async () => {
    const other = new Git()
    const running = other.capture({ folder }, ['cat-file', '--batch'], { input: forever() })
    const reader = other.readers.of({ folder })
    await reader.info('0'.repeat(40))
    running.catch(() => {})
    await other.close()
    await expect(running).rejects.toThrow('the server stops')
    expect(reader.alive).toBe(false)
    await expect(other.capture({ folder }, ['version'])).rejects.toThrow('the server stops')
  })
})

async function* forever(): AsyncGenerator<Buffer> {
  await new Promise(() => {})
  yield Buffer.alloc(0)
}

describe('the reader of objects', () => {
  it('answers in order, whatever the names', async () => {
    const reader = git.readers.of({ folder })
    const { output } = await git.capture({ folder }, ['hash-object', '-w', '--stdin'], { input: 'content' })
    const id = output.toString().trim()
    const names = [id, 'refs/heads/nope', `${id}:x\ny`, id, 'a b missing', '']
    const answers = await Promise.all(names.map((name) => reader.contents(name)))
    expect(answers.map((answer) => answer?.content.toString())).toEqual([
      'content',
      undefined,
      undefined,
      'content',
      undefined,
      undefined,
    ])
  })

  it('is replaced when it breaks', async () => {
    const reader = git.readers.of({ folder })
    reader.close()
    await until(() => expect(reader.alive).toBe(false))
    await expect(reader.info('x')).rejects.toThrow('closed')
    expect(await git.readers.of({ folder }).info('refs/heads/nope')).toBeUndefined()
  })
})

it('the version of git is checked', async () => {
  expect(await assertGit()).toMatch(/^\d+\.\d+/)
  const old = assertGit(async () => 'git version 2.30.2\n')
  await expect(old).rejects.toThrow('Forgelet needs git 2.39 or later, and this is 2.30.2')
  const none = assertGit(() => Promise.reject(new Error('ENOENT')))
  await expect(none).rejects.toThrow('finds none')
})
