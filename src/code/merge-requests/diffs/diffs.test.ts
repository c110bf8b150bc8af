import { describe, expect, it } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

async function opened() {
  const p = await branchedProject()
  return { ...p, ...(await openMergeRequest(p, p.developer)) }
}

/** What git itself says of a diff. */
async function patchIdOf(
  { repository }: Awaited<ReturnType<typeof branchedProject>>,
  { base_sha, head_sha }: { readonly base_sha: string; readonly head_sha: string },
): Promise<string> {
  const { git } = repository
  const input = await git.text(repository, ['diff', base_sha, head_sha])
  return (await git.text(repository, ['patch-id', '--stable'], { input })).slice(0, 40)
}

const diffOfA = {
  diff: '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
  collapsed: false,
  too_large: false,
  new_path: 'a.txt',
  old_path: 'a.txt',
  a_mode: '100644',
  b_mode: '100644',
  new_file: false,
  renamed_file: false,
  deleted_file: false,
  generated_file: null,
}
const names = (diffs: { new_path: string }[]) => diffs.map(({ new_path }) => new_path)
const titles = (list: { title: string }[]) => list.map(({ title }) => title)

describe('GET …/commits', () => {
  it('lists what only the source branch has, the newest first, in pages', async () => {
    const p = await opened()
    const all = await p.reporter.get(`${p.path}/commits`)
    expect([all.status, titles(all.body)]).toEqual([200, ['Add c', 'Say it aloud']])
    expect(all.headers.get('x-total')).toBe('2')
    const own = await p.reporter.get(`/projects/${p.id}/repository/commits/${p.body.sha}`)
    expect(own.body).toMatchObject(all.body[0])
    const second = await p.reporter.get(`${p.path}/commits?per_page=1&page=2`)
    expect([titles(second.body), second.headers.get('x-next-page')]).toEqual([['Say it aloud'], ''])
    expect((await p.reporter.get(`${p.path}/commits?page=3`)).body).toEqual([])
  })

  it('is 404 for a merge request that is not there, and for those who may not see it', async () => {
    const p = await opened()
    for (const end of ['commits', 'diffs', 'changes', 'raw_diffs', 'versions', 'versions/1']) {
      const missing = await p.reporter.get(`/projects/${p.id}/merge_requests/99/${end}`)
      expect([end, missing.status]).toEqual([end, 404])
      expect([end, (await p.stranger.get(`${p.path}/${end}`)).status]).toEqual([end, 404])
      expect([end, (await p.guest.get(`${p.path}/${end}`)).status]).toEqual([end, 403])
    }
  })
})

describe('GET …/diffs', () => {
  it('lists the files in pages', async () => {
    const p = await opened()
    const { status, body, headers } = await p.reporter.get(`${p.path}/diffs`)
    expect([status, names(body), headers.get('x-total')]).toEqual([200, ['a.txt', 'b.txt', 'c.txt'], '3'])
    expect(body[0]).toEqual(diffOfA)
    const last = await p.reporter.get(`${p.path}/diffs?per_page=2&page=2`)
    expect(names(last.body)).toEqual(['c.txt'])
  })

  it('begins each diff with the names of the files on request', async () => {
    const p = await opened()
    const { body } = await p.reporter.get(`${p.path}/diffs?unidiff=true`)
    expect(body[0].diff).toBe(`--- a/a.txt\n+++ b/a.txt\n${diffOfA.diff}`)
    expect(body[1].diff).toBe('--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n')
  })

  it('leaves out what is too large', async () => {
    const p = await branchedProject()
    const large = 'a line of some length that is repeated\n'.repeat(6_000)
    const from = Buffer.from('reset refs/heads/large\nfrom refs/heads/main\n\n')
    await importInto(
      p,
      Buffer.concat([from, commits({ branch: 'large', files: { 'l.txt': large, s: 's\n' } })]),
    )
    const { path } = await openMergeRequest(p, p.developer, { source_branch: 'large' })
    const { body } = await p.reporter.get(`${path}/diffs`)
    expect(body.map((one: { diff: string; too_large: boolean }) => [one.diff === '', one.too_large])).toEqual(
      [
        [true, true],
        [false, false],
      ],
    )
    const raw = await p.reporter.get(`${path}/changes?access_raw_diffs=true`)
    expect(raw.body.changes[0].too_large).toBe(false)
    expect(raw.body.changes[0].diff.length).toBeGreaterThan(large.length)
  })
})

describe('GET …/changes', () => {
  it('has the merge request and all files, and is marked as deprecated', async () => {
    const p = await opened()
    const { status, body } = await p.reporter.get(`${p.path}/changes`)
    const { body: single } = await p.reporter.get(p.path)
    expect(status).toBe(200)
    // A job looks at whether it can be merged meanwhile.
    const checked = { merge_status: expect.any(String), detailed_merge_status: expect.any(String) }
    expect(body).toEqual({ ...single, ...checked, changes: expect.any(Array), overflow: false })
    expect(names(body.changes)).toEqual(['a.txt', 'b.txt', 'c.txt'])
    const route = w.running.app.declaredRoutes.find(({ url }) => url.endsWith('/:merge_request_iid/changes'))
    expect(route?.schema).toMatchObject({ deprecated: { since: '2022-12-22' } })
  })
})

describe('GET …/raw_diffs', () => {
  it('streams what git writes, as text', async () => {
    const p = await opened()
    const { status, text, headers } = await p.reporter.get(`${p.path}/raw_diffs`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toMatch(/^diff --git a\/a\.txt b\/a\.txt\nindex /)
    expect(text).toContain(diffOfA.diff)
    expect(text).toContain('diff --git a/c.txt b/c.txt\nnew file mode 100644\n')
    const head = await p.reporter.send('HEAD', `${p.path}/raw_diffs`)
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

describe('GET …/versions', () => {
  it('lists the states of the branches, the newest first', async () => {
    const p = await opened()
    await p.developer.put(p.path, { target_branch: 'clash' })
    const { status, body, headers } = await p.reporter.get(`${p.path}/versions`)
    expect([status, headers.get('x-total'), body.length]).toEqual([200, '2', 2])
    const { diff_refs, id } = p.body
    expect(body[1]).toEqual({
      id: expect.any(Number),
      head_commit_sha: diff_refs.head_sha,
      base_commit_sha: diff_refs.base_sha,
      start_commit_sha: diff_refs.start_sha,
      created_at: expect.stringMatching(/Z$/),
      merge_request_id: id,
      state: 'collected',
      real_size: '3',
      patch_id_sha: await patchIdOf(p, diff_refs),
    })
    expect(body[0].id).toBeGreaterThan(body[1].id)
    const full = await p.reporter.get(`${p.path}/versions/${body[1].id}`)
    expect(full.body).toMatchObject(body[1])
    expect([titles(full.body.commits), names(full.body.diffs)]).toEqual([
      ['Add c', 'Say it aloud'],
      ['a.txt', 'b.txt', 'c.txt'],
    ])
    expect(full.body.diffs[0]).toEqual(diffOfA)
    const unidiff = await p.reporter.get(`${p.path}/versions/${body[1].id}?unidiff=true`)
    expect(unidiff.body.diffs[0].diff).toMatch(/^--- a\/a\.txt/)
  })

  it('identifies the diff of each as git patch-id does, and the same changes elsewhere alike', async () => {
    const p = await opened()
    const again = commits({
      branch: 'again',
      files: { 'a.txt': 'one\nTWO\nthree\n', 'b.txt': 'b\n', 'c.txt': 'c\n' },
    })
    const from = Buffer.from('reset refs/heads/again\nfrom refs/heads/main\n\n')
    await importInto(p, Buffer.concat([from, again]))
    const other = await openMergeRequest(p, p.developer, { source_branch: 'again' })
    const ids = async (path: string) =>
      (await p.reporter.get(`${path}/versions`)).body.map(
        ({ patch_id_sha }: { patch_id_sha: string }) => patch_id_sha,
      )
    const real = await patchIdOf(p, p.body.diff_refs)
    expect(real).toMatch(/^[0-9a-f]{40}$/)
    expect([await ids(other.path), await ids(p.path)]).toEqual([[real], [real]])
    const stored = await w.db
      .selectFrom('merge_request_versions')
      .select('patch_id')
      .where('merge_request_id', '=', p.body.id)
      .execute()
    expect(stored).toEqual([{ patch_id: real }])
    // Whoever asks for one version gets it as well, without asking for the list.
    const { body } = await openMergeRequest(p, p.developer, { source_branch: 'clash' })
    const { id } = await w.db
      .selectFrom('merge_request_versions')
      .select('id')
      .where('merge_request_id', '=', body.id)
      .executeTakeFirstOrThrow()
    const one = await p.reporter.get(`${p.path.replace(/\d+$/, body.iid)}/versions/${id}`)
    expect(one.body.patch_id_sha).toBe(await patchIdOf(p, body.diff_refs))
  })

  it('has no patch id without changes', async () => {
    const p = await branchedProject()
    await importInto(p, 'reset refs/heads/same\nfrom refs/heads/main\n\n')
    const { path } = await openMergeRequest(p, p.developer, { source_branch: 'same' })
    for (const _ of ['asked', 'known'])
      expect((await p.reporter.get(`${path}/versions`)).body).toMatchObject([
        { state: 'empty', real_size: '0', patch_id_sha: null },
      ])
  })

  it('finds no version of another merge request', async () => {
    const [one, other] = [await opened(), await opened()]
    const { body } = await other.reporter.get(`${other.path}/versions`)
    const { status, body: refused } = await one.reporter.get(`${one.path}/versions/${body[0].id}`)
    expect([status, refused]).toEqual([404, { message: '404 Version Not Found' }])
  })
})

describe('unrelated histories', () => {
  it('compare with the tip of the target branch', async () => {
    const p = await branchedProject()
    await importInto(p, commits({ branch: 'alone', message: 'Alone', files: { 'a.txt': 'x\n' } }))
    const { path } = await openMergeRequest(p, p.developer, { source_branch: 'alone' })
    expect(titles((await p.reporter.get(`${path}/commits`)).body)).toEqual(['Alone'])
    expect(names((await p.reporter.get(`${path}/diffs`)).body)).toEqual(['README.md', 'a.txt', 'd.txt'])
  })
})
