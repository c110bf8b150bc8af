import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { w } from '#test/world.ts'
import { log } from './history.ts'
import { listReferences } from './references.ts'
import { resolveCommit } from './resolve.ts'
import { listFolder } from './tree.ts'

/** `LARGE=1` takes a minute; the figures in docs/decisions/0018-git.md come from it. */
const scale = process.env['LARGE'] === '1' ? 1 : 0.1
const FILES = 100_000 * scale
const COMMITS = 50_000 * scale
const BRANCHES = 50_000 * scale

/** What `git fast-import` reads: one commit with many files, then many commits of one file. */
function* stream(): Generator<string> {
  yield 'blob\nmark :1\ndata 2\nx\n\n'
  const head = (count: number, mark: number) =>
    `commit refs/heads/main\nmark :${mark}\ncommitter A <a@example.com> ${1_700_000_000 + count} +0000\ndata 2\nc\n\n`
  yield head(0, 2)
  for (let file = 0; file < FILES; file += 1) yield `M 100644 :1 folder/file-${file}\n`
  for (let count = 1; count < COMMITS; count += 1) {
    yield `${head(count, count + 2)}from :${count + 1}\nM 100644 inline count\ndata ${String(count).length}\n${count}\n\n`
  }
}

async function* bytes(): AsyncGenerator<Buffer> {
  let text = ''
  for (const part of stream()) {
    text += part
    if (text.length < 65_536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
  const began = performance.now()
  const result = await work()
  return [result, performance.now() - began]
}

it(
  `${FILES} files, ${COMMITS} commits and ${BRANCHES} branches stay quick`,
  { timeout: 180_000 },
  async () => {
    const { repositories } = w.running.services
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    const { git } = repositories
    await git.capture(repository, ['fast-import', '--quiet'], { input: bytes(), lane: 'keep', time: 100_000 })
    await git.capture(repository, ['commit-graph', 'write', '--reachable'], { lane: 'keep', time: 60_000 })

    const tip = (await resolveCommit(repository, 'main')) ?? ''
    // As housekeeping leaves them. Git itself would sync each.
    const names = Array.from({ length: BRANCHES }, (_, branch) => `refs/heads/branch-${branch}`).toSorted()
    const packed = [
      '# pack-refs with: peeled fully-peeled sorted ',
      ...names.map((name) => `${tip} ${name}`),
      '',
    ]
    await writeFile(join(repository.folder, 'packed-refs'), packed.join('\n'))
    const figures: Record<string, number> = {}
    const compare = async <T>(name: string, ours: () => Promise<T>, args: readonly string[]): Promise<T> => {
      await ours()
      const [, plain] = await timed(() => git.capture(repository, args))
      const [result, here] = await timed(ours)
      figures[name] = Math.round(here)
      figures[`${name}, git alone`] = Math.round(plain)
      return result
    }
    const folder = () => listFolder(repository, tip, 'folder')
    expect(await compare('folder', folder, ['ls-tree', '-z', `${tip}:folder`])).toHaveLength(FILES)
    const commits = () => log(repository, { from: [tip] }, { skip: 0, limit: 20 })
    expect(await compare('commits', commits, ['log', '--max-count=20', tip])).toHaveLength(20)
    const branches = () => listReferences(repository, 'refs/heads/')
    expect(await compare('branches', branches, ['for-each-ref', 'refs/heads/'])).toHaveLength(BRANCHES + 1)
    const last = `branch-${BRANCHES - 1}`
    const branch = () => resolveCommit(repository, last)
    expect(await compare('a branch', branch, ['rev-parse', `refs/heads/${last}`])).toBe(tip)
    console.log('milliseconds in a large repository:', figures)
  },
)
