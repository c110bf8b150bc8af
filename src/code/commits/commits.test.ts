import { describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { addSignedCommit, commits, importInto, summarize } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const titles = (list: { title: string }[]) => list.map(({ title }) => title)

/** A branch, and one that was merged into it. */
async function withHistory() {
  const project = await w.project()
  const repository = await importInto(
    project,
    commits(
      { message: 'One\n\nWhy.\n', files: { 'a.txt': '1\n' }, at: '1700000000 +0200' },
      {
        message: 'Two',
        files: { 'b.txt': '1\n2\n' },
        author: 'Bob <bob@example.com>',
        at: '1700000100 +0000',
      },
    ),
  )
  const side = Buffer.concat([
    Buffer.from('reset refs/heads/side\nfrom refs/heads/main~1\n\n'),
    commits({ branch: 'side', message: 'Side', files: { 'c.txt': 'c\n' }, at: '1700000050 +0000' }),
    Buffer.from('reset refs/heads/main\nfrom refs/heads/main^0\n\n'),
    commits({
      message: 'Merge side\n\nReviewed-by: Ada\nReviewed-by: Eve\nFixes: #1\n',
      merges: 'refs/heads/side',
      files: { 'c.txt': 'c\n' },
      at: '1700000200 +0000',
    }),
  ])
  await importInto(project, side)
  const found = await summarize(repository)
  return { ...project, repository: found, list: `/projects/${project.id}/repository/commits` }
}

describe('GET /projects/:id/repository/commits', () => {
  test('lists commits, newest first', async () => {
    const { reporter, list, fullPath } = await withHistory()
    const { status, body, headers } = await reporter.get(list)
    expect([status, titles(body)]).toEqual([200, ['Merge side', 'Two', 'Side', 'One']])
    expect(headers.get('x-total')).toBeNull()
    expect(headers.get('x-page')).toBe('1')
    const { id } = body[3]
    expect(body[3]).toEqual({
      id,
      short_id: id.slice(0, 8),
      created_at: '2023-11-15T00:13:20.000+02:00',
      parent_ids: [],
      title: 'One',
      message: 'One\n\nWhy.\n',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      authored_date: '2023-11-15T00:13:20.000+02:00',
      committer_name: 'Ada',
      committer_email: 'ada@example.com',
      committed_date: '2023-11-15T00:13:20.000+02:00',
      trailers: {},
      extended_trailers: {},
      web_url: `${w.url}/${fullPath}/-/commit/${id}`,
    })
    expect(body[0].parent_ids).toEqual([body[1].id, body[2].id])
  })

  test('filters and orders', async () => {
    const { reporter, list } = await withHistory()
    const found = async (query: string) => titles((await reporter.get(`${list}?${query}`)).body)
    expect(await found('ref_name=side')).toEqual(['Side', 'One'])
    expect(await found('ref_name=main~1')).toEqual(['Two', 'One'])
    expect(await found('ref_name=side..main')).toEqual(['Merge side', 'Two'])
    expect(await found('ref_name=side...main~1')).toEqual(['Two', 'Side'])
    expect(await found('first_parent=true')).toEqual(['Merge side', 'Two', 'One'])
    expect(await found('path=b.txt')).toEqual(['Two'])
    expect(await found('path=nowhere')).toEqual([])
    expect(await found('path=../x')).toEqual([])
    expect(await found('path=:(glob)*')).toEqual([])
    expect(await found('author=BOB@example')).toEqual(['Two'])
    expect(await found('author=.*')).toEqual([])
    expect(await found('since=2023-11-14T22:14:10Z')).toEqual(['Merge side', 'Two', 'Side'])
    expect(await found('until=2023-11-14T22:14:10Z')).toEqual(['Side', 'One'])
    expect(await found('since=2023-11-14T22:14:10Z&until=2023-11-14T22:14:10Z')).toEqual(['Side'])
    expect(await found('since=1000-01-01&until=9999-12-31')).toHaveLength(4)
    expect(await found('since=9999-01-01')).toEqual([])
    expect(await found('until=1000-01-01')).toEqual([])
    expect(await found('order=topo')).toHaveLength(4)
    expect(await found('all=true&path=c.txt')).toEqual(['Side'])
  })

  test('follows a file through renames', async () => {
    const { id, reporter } = await w.project()
    const lines = 'a\nb\nc\nd\ne\nf\n'
    const stream = commits(
      { message: 'Write', files: { old: lines } },
      { message: 'Rename', files: { old: null, new: lines } },
      { message: 'Other', files: { x: '' } },
    )
    await importInto({ id }, stream)
    const path = `/projects/${id}/repository/commits?path=new`
    expect(titles((await reporter.get(path)).body)).toEqual(['Rename'])
    expect(titles((await reporter.get(`${path}&follow=true`)).body)).toEqual(['Rename', 'Write'])
  })

  test('adds statistics and trailers on request', async () => {
    const { reporter, list } = await withHistory()
    const { body } = await reporter.get(`${list}?with_stats=true&trailers=true`)
    expect(body.map(({ stats }: { stats: object }) => stats)).toEqual([
      { additions: 1, deletions: 0, total: 1 },
      { additions: 2, deletions: 0, total: 2 },
      { additions: 1, deletions: 0, total: 1 },
      { additions: 1, deletions: 0, total: 1 },
    ])
    expect(body[0]).toMatchObject({
      trailers: { 'Reviewed-by': 'Eve', Fixes: '#1' },
      extended_trailers: { 'Reviewed-by': ['Ada', 'Eve'], Fixes: ['#1'] },
    })
  })

  test('pages, and has a link to the next page', async () => {
    const { reporter, list } = await withHistory()
    const first = await reporter.get(`${list}?per_page=3`)
    expect(first.headers.get('x-next-page')).toBe('2')
    const second = await reporter.get(linkTo('next', first) ?? '')
    expect(titles(second.body)).toEqual(['One'])
    expect(linkTo('next', second)).toBeUndefined()
    expect((await reporter.get(`${list}?page=1000&per_page=100`)).body).toEqual([])
    expect((await reporter.get(`${list}?pagination=keyset`)).status).toBe(405)
  })

  test('refuses a name that is not there', async () => {
    const { reporter, list } = await withHistory()
    for (const name of [
      'nowhere',
      '--all',
      'main..nowhere',
      'refs/keep-around/x',
      'main:a.txt',
      'main@{1}',
    ]) {
      const { status, body } = await reporter.get(`${list}?ref_name=${encodeURIComponent(name)}`)
      expect([name, status, body]).toEqual([name, 404, { message: '404 Commit Not Found' }])
    }
  })
})

describe('GET /projects/:id/repository/commits/:sha', () => {
  test('finds a commit by its id, its beginning, a branch or a tag', async () => {
    const { id, reporter, list, repository } = await withHistory()
    const sha = repository.row.last_commit_sha ?? ''
    await importInto({ id }, `reset refs/tags/v1.0\nfrom ${sha}\n\n`)
    for (const name of [sha, sha.slice(0, 7), 'main', 'HEAD', 'v1.0', 'refs%2Ftags%2Fv1.0', 'side%5E0']) {
      const { status, body } = await reporter.get(`${list}/${name}`)
      expect([name, status]).toEqual([name, 200])
      if (name !== 'side%5E0') expect(body.id).toBe(sha)
    }
    expect((await reporter.get(`${list}/main`)).body).toMatchObject({
      title: 'Merge side',
      stats: { additions: 1, deletions: 0, total: 1 },
      trailers: { 'Reviewed-by': 'Eve' },
      status: null,
      project_id: id,
      last_pipeline: null,
    })
    expect((await reporter.get(`${list}/main?stats=false`)).body).not.toHaveProperty('stats')
  })

  const parts = [
    '',
    '/diff',
    '/refs',
    '/sequence',
    '/comments',
    '/discussions',
    '/merge_requests',
    '/statuses',
    '/signature',
  ]
  test.each(parts)('answers 404 where there is no such commit (%s)', async (part) => {
    const { reporter, list } = await withHistory()
    for (const sha of ['nowhere', '1'.repeat(40), '--all', 'main%3Aa.txt', '..%2F..']) {
      const { status, body } = await reporter.get(`${list}/${sha}${part}`)
      expect([sha, status, body]).toEqual([sha, 404, { message: '404 Commit Not Found' }])
    }
  })
})

describe('what belongs to a commit', () => {
  test('its changes, in pages', async () => {
    const { id, reporter } = await w.project()
    const long = Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`).join('')
    const stream = commits(
      { files: { kept: 'x', old: 'a\nb\nc\nd\n', kind: 'k', mode: 'm', bytes: 'a\0', gone: 'g\n' } },
      {
        files: {
          old: null,
          renamed: 'a\nb\nc\nd\n',
          kind: { mode: '120000', data: 'kept' },
          mode: { mode: '100755', data: 'm' },
          bytes: 'b\0',
          gone: null,
          long,
          added: 'n\n',
        },
      },
    )
    await importInto({ id }, stream)
    await importInto({ id }, commits({ branch: 'wide', files: { wide: 'x'.repeat(5_000_000), small: 's' } }))
    const wide = (await reporter.get(`/projects/${id}/repository/commits/wide/diff`)).body
    expect(
      wide.map((one: { too_large: boolean; diff: string }) => [one.too_large, one.diff.length > 0]),
    ).toEqual([
      [false, true],
      [true, false],
    ])
    const path = `/projects/${id}/repository/commits/main/diff`
    const { status, body, headers } = await reporter.get(path)
    expect([status, headers.get('x-total')]).toEqual([200, '7'])
    const of = (name: string) => body.find((one: { new_path: string }) => one.new_path === name)
    expect(of('added')).toMatchObject({
      diff: '@@ -0,0 +1 @@\n+n\n',
      new_file: true,
      a_mode: '0',
      b_mode: '100644',
    })
    expect(of('gone')).toMatchObject({
      diff: '@@ -1 +0,0 @@\n-g\n',
      deleted_file: true,
      a_mode: '100644',
      b_mode: '0',
    })
    expect(of('bytes').diff).toBe('Binary files a/bytes and b/bytes differ\n')
    expect(of('kind').diff).toContain('-k')
    expect(of('kind').diff).toContain('+kept')
    expect(of('mode')).toMatchObject({ diff: '', a_mode: '100644', b_mode: '100755', new_file: false })
    expect(of('long')).toMatchObject({ diff: '', too_large: true, collapsed: false })
    expect(of('renamed')).toMatchObject({ diff: '', renamed_file: true, old_path: 'old' })
    const pages = [1, 2, 3, 4].map(
      async (page) => (await reporter.get(`${path}?per_page=2&page=${page}`)).body,
    )
    expect((await Promise.all(pages)).flat()).toEqual(body)
    const first = await reporter.get(`/projects/${id}/repository/commits/main~1/diff?unidiff=true`)
    expect(first.body).toHaveLength(6)
    expect(first.body[1].diff).toMatch(/^--- \/dev\/null\n\+\+\+ b\/gone\n@@/)
  })

  test('the branches and tags that have it', async () => {
    const { id, reporter, list, repository } = await withHistory()
    const sha = repository.row.last_commit_sha
    await importInto({ id }, `reset refs/tags/v1\nfrom ${sha}\n\nreset refs/keep-around/x\nfrom ${sha}\n\n`)
    const refs = async (query: string) => (await reporter.get(`${list}/${query}`)).body
    const branches = [
      { type: 'branch', name: 'main' },
      { type: 'branch', name: 'side' },
    ]
    expect(await refs('side/refs')).toEqual([...branches, { type: 'tag', name: 'v1' }])
    expect(await refs('side/refs?type=branch')).toEqual(branches)
    expect(await refs('side/refs?type=tag')).toEqual([{ type: 'tag', name: 'v1' }])
    expect(await refs('main/refs?per_page=1&page=2')).toEqual([{ type: 'tag', name: 'v1' }])
  })

  test('its place in the history', async () => {
    const { reporter, list } = await withHistory()
    expect((await reporter.get(`${list}/main/sequence`)).body).toEqual({ count: 4 })
    expect((await reporter.get(`${list}/main/sequence?first_parent=true`)).body).toEqual({ count: 3 })
  })

  test('lists that are empty so far', async () => {
    const { reporter, list } = await withHistory()
    for (const part of ['comments', 'discussions', 'merge_requests', 'statuses']) {
      const { status, body, headers } = await reporter.get(`${list}/main/${part}`)
      expect([part, status, body, headers.get('x-total')]).toEqual([part, 200, [], '0'])
    }
  })

  test('its signature, if it has one', async () => {
    const { reporter, list, repository } = await withHistory()
    const { status, body } = await reporter.get(`${list}/main/signature`)
    expect([status, body]).toEqual([404, { message: '404 Signature Not Found' }])
    await addSignedCommit(repository, 'signed')
    const signed = await reporter.get(`${list}/signed/signature`)
    expect(signed.body).toMatchObject({
      signature_type: 'PGP',
      verification_status: 'unverified',
      gpg_key_id: null,
    })
  })
})
