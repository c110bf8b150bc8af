import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

/** Commits with empty trees, each with a trailer, by what they merge. */
function* history(count: number, parents: (index: number) => string): Generator<string> {
  for (let index = 1; index <= count; index += 1) {
    const message = `Commit ${index}\n\nChangelog: added\n`
    const person = `Ada <ada-${index}@example.com> ${1_767_225_600 + index} +0000`
    yield `commit refs/heads/main\nmark :${index}\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n${message}\n`
    yield `${parents(index)}\n`
  }
}

async function projectOf(stream: Generator<string>) {
  const project = await w.project()
  async function* all() {
    yield* stream
    yield 'reset refs/tags/v1.0.0\nfrom :1\n\n'
  }
  await importInto(project, all())
  const path = `/projects/${project.id}/repository/changelog`
  return (query: string) => project.reporter.get(`${path}?${query}`)
}

const line = (index: number) => (index === 1 ? '' : `from :${index - 1}\n`)

test('5,000 commits by 5,000 people are told of, and one more is refused', async () => {
  const get = await projectOf(history(5_002, line))
  const refused = await get('version=1.0.1')
  expect([refused.status, refused.body.message]).toEqual([
    422,
    'Failed to generate the changelog: there are more than 5000 commits; say `from`',
  ])
  const { status, body } = await get('version=1.0.1&to=main~1')
  expect(status).toBe(200)
  expect(body.notes).toContain('### added (5000 changes)\n\n- [Commit 5001]')
}, 180_000)

test('merges that merge merges are followed to their end', async () => {
  // Each has the first commit as its first parent, and the one before as the second one.
  const get = await projectOf(
    history(5_001, (index) => (index === 1 ? '' : `from :1\n${index === 2 ? '' : `merge :${index - 1}\n`}`)),
  )
  const { status, body } = await get('version=1.0.1')
  expect(status).toBe(200)
  expect(body.notes).toContain('(5000 changes)')
}, 180_000)

test('more text than 32 MiB is refused, and so is a file with more than 8 MiB', async () => {
  const project = await w.project()
  const title = 'x'.repeat(33 * 1024 * 1024)
  const tag = Buffer.from('reset refs/tags/v1.0.0\nfrom refs/heads/main\n\n')
  const files = { 'CHANGELOG.md': 'x\n'.repeat(5 * 1024 * 1024) }
  await importInto(
    project,
    Buffer.concat([commits({ message: 'Begin', files }), tag, commits({ message: title })]),
  )
  const path = `/projects/${project.id}/repository/changelog`
  const refused = await project.reporter.get(`${path}?version=1.0.1`)
  expect([refused.status, refused.body.message]).toEqual([413, expect.stringContaining('33554432 bytes')])
  const wishes = { version: '1.0.1', from: 'v1.0.0', to: 'v1.0.0' }
  const { status, body } = await project.maintainer.post(path, wishes)
  expect([status, body.message]).toEqual([413, expect.stringContaining('the object has 10485760 bytes')])
}, 180_000)
