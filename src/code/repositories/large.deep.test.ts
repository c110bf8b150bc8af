import { beforeAll, describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { importInto } from '#test/repositories.ts'
import { type Actor, w } from '#test/world.ts'
import type { StoredRepository } from './rows.ts'

const FILES = 100_000
const COMMITS = 50_000

/** Writes a folder with many files. `git fast-import` would need half a minute for it. @returns its id */
async function manyFiles(into: StoredRepository): Promise<string> {
  const { git } = into
  const blob = (await git.text(into, ['hash-object', '-w', '--stdin'], { input: 'x\n' })).trim()
  const lines = Array.from({ length: FILES }, (_, index) => `100644 blob ${blob}\tfile-${index}\n`)
  return (await git.text(into, ['mktree'], { input: lines.join('') })).trim()
}

/** That folder, and many commits. Most change nothing, so that the repository is made quickly. */
async function* stream(folder: string): AsyncGenerator<string> {
  yield 'commit refs/heads/main\ncommitter Ada <ada@example.com> 1600000000 +0000\ndata 5\nBegin\n'
  yield `M 040000 ${folder} many\n`
  for (let first = 1; first < COMMITS; first += 500) {
    let some = ''
    for (let one = first; one < first + 500 && one < COMMITS; one += 1) {
      some += `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1600000000 + one} +0000\ndata <<E\n${one}\nE\n`
      if (one % 100 === 0) some += `M 644 inline counter\ndata <<E\n${one}\nE\n`
    }
    yield some
  }
}

let repository: StoredRepository
let id: number
let reporter: Actor
beforeAll(async () => {
  const project = await w.project()
  ;({ id, reporter } = project)
  const { repositories } = w.running.services
  const folder = await manyFiles(await repositories.ensure({ kind: 'project', project: id }))
  repository = await importInto(project, stream(folder))
}, 180_000)

/** What an answer may take in milliseconds beyond git's own time for the same question. */
const BEYOND = 50
/** Other tests run beside these, and take the machine's time now from the one and now from the other. */
const TRIES = 30

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Asks both in turn, until the shortest times are as near to each other as they should be. */
async function expectQuick(path: string, ...args: readonly string[]): Promise<void> {
  const times = { own: Infinity, ours: Infinity }
  for (let tries = 0; tries < TRIES; tries += 1) {
    times.own = Math.min(times.own, await timeOf(() => repository.git.capture(repository, args)))
    const ours = await timeOf(async () => {
      const { status, body } = await reporter.get(`/projects/${id}/${path}`)
      expect([status, body.length]).toEqual([200, 20])
    })
    times.ours = Math.min(times.ours, ours)
    if (tries > 1 && times.ours < times.own + BEYOND) return
  }
  expect(times.ours).toBeLessThan(times.own + BEYOND)
}

describe(`${FILES} files and ${COMMITS} commits`, () => {
  test('the first page of a tree comes quickly', async () => {
    await expectQuick('repository/tree?path=many', 'ls-tree', 'main:many')
    await expectQuick('repository/tree?path=many&pagination=keyset', 'ls-tree', 'main:many')
    await expectQuick('repository/tree?recursive=true', 'ls-tree', '-r', '-t', 'main')
  })

  test('the first page of commits comes quickly', async () => {
    await expectQuick('repository/commits', 'log', '--max-count=20', 'main')
    await expectQuick('repository/commits?all=true', 'log', '--max-count=20', '--branches', '--tags')
    await expectQuick('repository/commits?path=counter', 'log', '--max-count=20', 'main', '--', 'counter')
  })

  test('all files are found by keyset', async () => {
    const seen = new Set<string>()
    let next: string | undefined =
      `/projects/${id}/repository/tree?recursive=true&pagination=keyset&per_page=100`
    for (let pages = 0; next !== undefined && pages < 20; pages += 1) {
      const answer = await reporter.get(next)
      for (const { path } of answer.body) seen.add(path)
      next = linkTo('next', answer)
    }
    // All have the same content, and so the same id.
    expect([seen.size, next === undefined]).toEqual([2_000, false])
    const deep = new URL(next ?? '')
    deep.searchParams.set('page_token', deep.searchParams.get('page_token')?.replace(/-.*/, '-99000') ?? '')
    const last = await reporter.get(deep.href)
    expect([last.status, last.body.length]).toEqual([200, 100])
  })

  test('totals of large lists are not counted', async () => {
    for (const path of ['tree?path=many', 'tree?recursive=true', 'commits']) {
      const { headers } = await reporter.get(`/projects/${id}/repository/${path}`)
      expect([headers.get('x-total'), headers.get('x-next-page')]).toEqual([null, '2'])
    }
    const { body } = await reporter.get(`/projects/${id}/repository/commits/main/sequence`)
    expect(body).toEqual({ count: COMMITS })
  })

  // Both lists of commits need the same listing, which is kept.
  test('a page takes the same processes, however long it is', async () => {
    const { git } = repository
    const commands: string[] = []
    const before = git.onProcess
    git.onProcess = (command, lane) => {
      if (lane === 'read') commands.push(command)
    }
    try {
      for (const size of [1, 100]) {
        for (const path of ['commits', 'tree?recursive=true', 'tree?path=many', 'commits?with_stats=true']) {
          const sign = path.includes('?') ? '&' : '?'
          await reporter.get(`/projects/${id}/repository/${path}${sign}per_page=${size}`)
        }
        await expect
          .poll(() => git.usage().every(({ lane, running }) => lane !== 'read' || running === 0))
          .toBe(true)
        expect(commands.splice(0).toSorted()).toEqual(['diff-tree', 'ls-tree', 'rev-list'])
      }
    } finally {
      git.onProcess = before
    }
  })
})
