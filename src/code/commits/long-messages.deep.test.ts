import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { urlWith } from '#code/git-http/test-support.ts'
import { GitClient } from '#test/git-client.ts'
import { commits, importInto } from '#test/repositories.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

const LONG = 3_000_000

/** A repository as an earlier version, or an import, has let it in. */
async function withLongMessages(count = 6, length = LONG) {
  const project = await w.project({ visibility: 'public' })
  const long = Array.from({ length: count }, (_, n) => ({
    branch: 'long',
    message: `Commit ${n}\n\n${'é'.repeat(length / 2)}`,
    files: { a: String(n) },
  }))
  await importInto(project, commits({ files: { a: '' } }))
  const stream = commits({ branch: 'long', files: { a: '' } }, ...long)
  const tag = `tag long\nfrom refs/heads/long\ntagger A <a@example.com> 1700000000 +0000\ndata ${length}\n${'b'.repeat(length)}\n`
  const repository = await importInto(project, Buffer.concat([stream, Buffer.from(tag)]))
  return { ...project, repository, api: `/projects/${project.id}/repository` }
}

describe('messages of megabytes', () => {
  it('are shown in part, in all lists, within a budget of their answer', async () => {
    const { api, stranger } = await withLongMessages()
    const list = (await stranger.get(`${api}/commits?ref_name=long&trailers=true&per_page=100`)).body
    const messages = list.map(({ message }: { message: string }) => message)
    expect(messages).toHaveLength(7)
    expect(messages[0]).toMatch(/^Commit 5\n\né+$/)
    const bytes = (text: string) => Buffer.byteLength(text)
    expect(bytes(messages.join(''))).toBeGreaterThan(4_000_000)
    expect(bytes(messages.join(''))).toBeLessThanOrEqual(8 * 1024 * 1024)
    const one = (await stranger.get(`${api}/commits/long`)).body
    expect([one.title, bytes(one.message)]).toEqual(['Commit 5', expect.closeTo(1_000_000, -3)])
    for (const path of ['branches', 'tags', 'compare?from=main&to=long', 'files/a/blame?ref=long']) {
      const { status, text } = await stranger.get(`${api}/${path}`)
      expect([path, status, text.length < 20_000_000]).toEqual([path, 200, true])
    }
  })

  it('are cut for each branch that shows the same commit', async () => {
    const { api, stranger, developer } = await withLongMessages(1)
    for (let n = 0; n < 15; n += 1) await developer.post(`${api}/branches`, { branch: `b${n}`, ref: 'long' })
    const { body, text } = await stranger.get(`${api}/branches?per_page=100`)
    expect([body.length, text.length < 9_000_000]).toEqual([17, true])
  })

  it('are neither repeated in part by a cherry-pick nor by a rebase', async () => {
    const project = await withLongMessages(1)
    const { api, maintainer, id } = project
    const pick = `${api}/commits/long/cherry_pick`
    expect(await maintainer.post(pick, { branch: 'main' })).toMatchObject({
      status: 400,
      body: { message: 'The message of the commit is too long to be repeated: send one of your own' },
    })
    await maintainer.post(`${api}/branches`, { branch: 'other', ref: 'main' })
    expect((await maintainer.post(pick, { branch: 'other', message: 'Mine' })).status).toBe(201)
    const { body } = await openMergeRequest(project, maintainer, { source_branch: 'long' })
    const path = `/projects/${id}/merge_requests/${body.iid}`
    expect((await maintainer.put(`${path}/rebase`)).status).toBe(202)
    await expect
      .poll(async () => (await maintainer.get(path)).body.merge_error)
      .toMatch(/^Rebase failed: The message of [0-9a-f]{40} is too long\. Rebase the commits locally\.$/)
  })
})

describe('a push', () => {
  it('of a message of megabytes is refused with a sentence; of a long one it is not', async () => {
    await using client = await GitClient.open()
    const project = await w.project()
    const here = await client.clone(urlWith(project.maintainer.token, project.fullPath), 'long')
    await here.run('checkout', '--quiet', '-b', 'main')
    const file = join(client.folder, 'message')
    const commit = async (length: number) => {
      await here.commit({ a: String(length) })
      await writeFile(file, `Long\n\n${'a'.repeat(length)}`)
      await here.run('commit', '--quiet', '--amend', '--file', file)
    }
    await commit(990_000)
    await here.run('push', '--quiet', 'origin', 'main')
    await commit(1_200_000)
    const { err } = await here.try('push', '--quiet', 'origin', 'main')
    expect(err).toContain('a commit has 2 MB, and this server takes 1 MB at most: shorten its message')
    expect(err).toMatch(/remote: Forgelet: /)
    await here.run('reset', '--quiet', '--hard', 'HEAD~1')
    await here.run('tag', '--annotate', '--file', file, 'v1')
    expect((await here.try('push', '--quiet', 'origin', 'v1')).err).toContain('a tag has 2 MB')
    const { body } = await project.maintainer.get(`/projects/${project.id}/repository/tags`)
    expect(body).toEqual([])
  })
})
