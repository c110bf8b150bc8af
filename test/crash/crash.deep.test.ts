import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type Answer, Client } from '#test/client.ts'
import { dataFolder, start as startServer, TOKEN } from './killing.ts'
import { PATIENCE } from '#test/patience.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface Forgelet {
  readonly process: ChildProcess
  readonly root: Client
}

async function start(data: string): Promise<Forgelet> {
  const { child, url } = await startServer(data)
  cleanups.push(() => kill(child))
  return { process: child, root: new Client(url, { 'private-token': TOKEN }) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function killPostgres(data: string): Promise<void> {
  const pid = Number((await readFile(join(data, 'postgresql', 'postmaster.pid'), 'utf8')).split('\n')[0])
  process.kill(pid, 'SIGKILL')
}

/** Writes labels until stopped; knows which were acknowledged and every other answer. */
class Writer {
  readonly acknowledged: string[] = []
  readonly others: Answer[] = []
  #stopped = false
  readonly #done: Promise<unknown>

  constructor(root: Client, project: number, name: string) {
    this.#done = Promise.all([0, 1, 2, 3].map((lane) => this.#write(root, project, `${name}-${lane}`)))
  }

  async #write(root: Client, project: number, name: string): Promise<void> {
    for (let count = 0; !this.#stopped; count += 1) {
      const label = `${name}-${count}`
      try {
        const answer = await root.post(`/projects/${project}/labels`, { name: label, color: 'red' })
        if (answer.status === 201) this.acknowledged.push(label)
        else this.others.push(answer)
        if (answer.status === 503) await pause(20)
      } catch {
        // The process was killed: no answer, no promise.
        return
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#done
  }
}

async function until(condition: () => Promise<boolean> | boolean, milliseconds = PATIENCE): Promise<void> {
  const deadline = Date.now() + milliseconds
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come about')
    await pause(10)
  }
}

async function newProject(root: Client): Promise<number> {
  const { body: group } = await root.post('/groups', { name: 'Crash', path: 'crash' })
  const { body: project } = await root.post('/projects', { name: 'Crash', namespace_id: group.id })
  return project.id
}

async function labelsOf(root: Client, project: number): Promise<Set<string>> {
  const names = new Set<string>()
  let page = '1'
  while (page !== '') {
    const answer = await root.get(`/projects/${project}/labels?per_page=100&page=${page}`)
    for (const { name } of answer.body) names.add(name)
    page = answer.headers.get('x-next-page') ?? ''
  }
  return names
}

async function expectKept(root: Client, project: number, acknowledged: readonly string[]): Promise<void> {
  const kept = await labelsOf(root, project)
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([])
}

describe('when PostgreSQL is killed under load', () => {
  test(
    'requests get 503 with Retry-After, service resumes by itself, nothing acknowledged is lost',
    { timeout: 180_000 },
    async () => {
      const data = await dataFolder()
      const { root, process: child } = await start(data)
      const project = await newProject(root)
      const writer = new Writer(root, project, 'label')
      for (let round = 0; round < 2; round += 1) {
        const before = writer.acknowledged.length
        await until(() => writer.acknowledged.length > before + 30)
        await killPostgres(data)
        const after = writer.acknowledged.length
        await until(() => writer.acknowledged.length > after + 10)
      }
      await writer.stop()
      expect(child.exitCode).toBeNull()
      expect(writer.others.length).toBeGreaterThan(0)
      expect(new Set(writer.others.map(({ status }) => status))).toEqual(new Set([503]))
      for (const answer of writer.others) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      await expectKept(root, project, writer.acknowledged)
    },
  )
})

describe('when Forgelet alone is killed', () => {
  test('the next start deals with the orphaned server', { timeout: 180_000 }, async () => {
    const data = await dataFolder()
    const first = await start(data)
    const project = await newProject(first.root)
    const writer = new Writer(first.root, project, 'label')
    await until(() => writer.acknowledged.length > 20)
    await kill(first.process)
    await writer.stop()
    const { root } = await start(data)
    await expectKept(root, project, writer.acknowledged)
  })
})

/** Each takes two seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)

describe('when both are killed at random moments', () => {
  test('nothing acknowledged is lost', { timeout: 120_000 + crashes * 30_000 }, async () => {
    const data = await dataFolder()
    let running = await start(data)
    const project = await newProject(running.root)
    const acknowledged: string[] = []
    for (let round = 0; round < crashes; round += 1) {
      const writer = new Writer(running.root, project, `round-${round}`)
      await until(() => writer.acknowledged.length > 0)
      await pause(Math.random() * 200)
      const order = Math.random() < 0.5
      if (order) await killPostgres(data)
      await kill(running.process)
      if (!order) await killPostgres(data).catch(() => {})
      await writer.stop()
      acknowledged.push(...writer.acknowledged)
      running = await start(data)
    }
    await expectKept(running.root, project, acknowledged)
    console.log(`${crashes} kills of both: ${acknowledged.length} acknowledged writes, none lost`)
  })
})
