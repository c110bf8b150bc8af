import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longestTurn } from '#test/quick.ts'
import { commits, giveSample, importInto } from '#test/repositories.ts'
import type { Answer } from '#test/client.ts'
import { type Actor, unique, w } from '#test/world.ts'

const names = (answer: Answer): string[] => answer.body.map(({ name }: { name: string }) => name)

/** A project with a small repository. */
async function sample(...branches: readonly string[]) {
  const project = await w.project()
  const repository = await giveSample(project)
  const path = `/projects/${project.id}/repository/branches`
  for (const branch of branches) await make(project.developer, path, branch)
  return { project, repository, path, tip: repository.row.last_commit_sha }
}

async function make(by: Actor, path: string, branch: string, ref = 'main'): Promise<void> {
  const { status, text } = await by.post(path, { branch, ref })
  if (status !== 201) throw new Error(`${branch}: ${status} ${text}`)
}

describe('GET /projects/:id/repository/branches', () => {
  it('lists branches by name, with every field', async () => {
    const { project, path, tip } = await sample('b', 'a')
    const answer = await project.developer.get(path)
    expect(names(answer)).toEqual(['a', 'b', 'main'])
    expect(answer.headers.get('x-total')).toBe('3')
    expect(answer.body[2]).toEqual({
      name: 'main',
      commit: expect.objectContaining({ id: tip, title: 'Say more', parent_ids: [expect.any(String)] }),
      merged: false,
      protected: false,
      developers_can_push: false,
      developers_can_merge: false,
      can_push: true,
      default: true,
      web_url: `${w.url}/${project.fullPath}/-/tree/main`,
    })
  })

  it('searches by a part, the beginning and the end of the name, whatever the case of letters', async () => {
    const { project, path } = await sample('Fix/login', 'fix/logout', 'prefix', 'hotfix')
    const found = async (query: string) => names(await project.developer.get(`${path}?${query}`))
    expect(await found('search=FIX')).toEqual(['Fix/login', 'fix/logout', 'hotfix', 'prefix'])
    expect(await found('search=%5Efix')).toEqual(['Fix/login', 'fix/logout'])
    expect(await found('search=fix%24')).toEqual(['hotfix', 'prefix'])
    expect(await found('search=%5Eprefix%24')).toEqual(['prefix'])
    expect(await found('search=nothing')).toEqual([])
  })

  it('filters by a regular expression, and refuses one that is none', async () => {
    const { project, path } = await sample('v1.0', 'v1.x', 'w1')
    const found = (regex: string) => project.developer.get(`${path}?regex=${encodeURIComponent(regex)}`)
    expect(names(await found('^v\\d+\\.\\d+$'))).toEqual(['v1.0'])
    expect(names(await found('^[vw]1'))).toEqual(['v1.0', 'v1.x', 'w1'])
    expect((await found('(')).body).toEqual({
      message: { regex: ['is invalid'] },
      error: 'regex is invalid',
    })
    const name = 'a'.repeat(200)
    await make(project.developer, path, name)
    const began = performance.now()
    expect(names(await found('^(a+)+$'))).toEqual([name])
    expect(names(await found('^(a|a)*b$'))).toEqual([])
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('refuses an expression that is too large, and keeps nobody waiting for one on many long names', async () => {
    const { project, path, repository, tip } = await sample()
    const names = Array.from({ length: 2_000 }, (_, n) => `refs/heads/${String(n).padEnd(237, 'a')}`)
    const packed = [
      '# pack-refs with: peeled fully-peeled sorted ',
      ...names.toSorted().map((name) => `${tip} ${name}`),
      '',
    ]
    await writeFile(join(repository.folder, 'packed-refs'), packed.join('\n'))
    const found = (regex: string) => project.developer.get(`${path}?regex=${encodeURIComponent(regex)}`)
    const refusal = { regex: ['is too large: repeat less in it'] }
    expect(await found('((a?){30}){30}[xyz]')).toMatchObject({ status: 400, body: { message: refusal } })
    // Each name takes thousands of steps, however it is matched.
    const longest = await longestTurn(async () => {
      expect([200, 400]).toContain((await found('(?:(?:a?b?){20}){9}[^a0-9]\\b')).status)
    })
    expect(longest).toBeLessThan(1_000)
    expect((await found('^(19|20)a+$')).body).toHaveLength(2)
  })

  it('sorts by the date of the commit', async () => {
    const project = await w.project()
    const at = (branch: string, time: number) => ({ branch, at: `${time} +0000`, files: { a: branch } })
    await importInto(project, commits(at('main', 2_000), at('old', 1_000), at('new', 3_000)))
    const path = `/projects/${project.id}/repository/branches`
    const sorted = async (sort: string) => names(await project.developer.get(`${path}?sort=${sort}`))
    expect(await sorted('updated_desc')).toEqual(['new', 'main', 'old'])
    expect(await sorted('updated_asc')).toEqual(['old', 'main', 'new'])
    expect(await sorted('name_asc')).toEqual(['main', 'new', 'old'])
  })

  it('has pages by number, and by the last name', async () => {
    const { project, path } = await sample('a', 'b', 'c')
    const second = await project.developer.get(`${path}?per_page=2&page=2`)
    expect(names(second)).toEqual(['c', 'main'])
    expect(second.headers.get('x-total-pages')).toBe('2')
    const first = await project.developer.get(`${path}?per_page=3&pagination=keyset`)
    expect(names(first)).toEqual(['a', 'b', 'c'])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(next).toContain('page_token=c')
    const last = await project.developer.get(next)
    expect(names(last)).toEqual(['main'])
    expect(last.headers.get('link')).toBeNull()
    expect((await project.developer.get(`${path}?pagination=keyset&page_token=zz`)).status).toBe(400)
  })

  it('is empty for an empty repository', async () => {
    const { id, developer } = await w.project()
    const answer = await developer.get(`/projects/${id}/repository/branches`)
    expect(answer.body).toEqual([])
    expect(answer.headers.get('x-total')).toBe('0')
  })

  it('tells which branches are merged', async () => {
    const project = await w.project()
    await importInto(
      project,
      commits(
        { files: { a: '1' } },
        { branch: 'done', files: { b: '1' } },
        { files: { c: '1' }, merges: 'refs/heads/done' },
        { branch: 'open', files: { d: '1' } },
      ),
    )
    const answer = await project.developer.get(`/projects/${project.id}/repository/branches`)
    const merged = answer.body.map(({ name, merged: is }: { name: string; merged: boolean }) => [name, is])
    expect(merged).toEqual([
      ['done', true],
      ['main', false],
      ['open', false],
    ])
  })

  it('takes as many processes and statements for 100 branches as for one', async () => {
    const { project, path } = await sample('one')
    const costs = async (query: string) => {
      const sent = await w.sent(() => project.developer.get(`${path}?${query}`))
      return sent.length
    }
    await costs('')
    expect(await costs('per_page=1')).toBe(await costs('per_page=100'))
    expect(await costs('per_page=100')).toBeLessThanOrEqual(4)
  })
})

describe('GET and HEAD of one branch', () => {
  it.each(['feature/a.b', '100%', 'a%2Fb', 'über', 'x.json', 'v1.0', '#1', 'a&b=c', "it's"])(
    'finds %s',
    async (branch) => {
      const { project, path } = await sample(branch)
      const url = `${path}/${encodeURIComponent(branch)}`
      const { status, body } = await project.developer.get(url)
      expect([status, body.name]).toEqual([200, branch])
      const head = await project.developer.head(url)
      expect([head.status, head.text]).toEqual([204, ''])
      expect((await project.developer.delete(url)).status).toBe(204)
      expect((await project.developer.head(url)).status).toBe(404)
    },
  )

  it('answers 404 for what is no branch', async () => {
    const { project, path, tip } = await sample()
    for (const name of ['nothing', tip, 'HEAD', 'refs%2Fheads%2Fmain', 'main~1', '-x', '*']) {
      const { status, body } = await project.developer.get(`${path}/${name}`)
      expect([name, status, body]).toEqual([name, 404, { message: '404 Branch Not Found' }])
    }
    const { id, developer } = await w.project()
    expect((await developer.get(`/projects/${id}/repository/branches/main`)).status).toBe(404)
  })
})

describe('POST /projects/:id/repository/branches', () => {
  it('begins with a branch, a tag, an id, or what comes before', async () => {
    const { project, path, tip } = await sample()
    for (const ref of ['main', tip, String(tip).slice(0, 8), 'HEAD', 'refs/heads/main']) {
      const branch = unique('branch')
      const { status, body } = await project.developer.post(path, { branch, ref })
      expect([status, body.name, body.commit.id, body.default]).toEqual([201, branch, tip, false])
    }
    const { body } = await project.developer.post(`${path}?branch=before&ref=main~1`)
    expect(body.commit.title).toBe('Begin')
  })

  it('records a push', async () => {
    const { project } = await sample('told')
    const fact = await w.db
      .selectFrom('facts')
      .select(['details', 'actor_id'])
      .where('namespace_id', '=', project.namespaceId)
      .where('name', '=', 'references pushed')
      .executeTakeFirstOrThrow()
    expect(fact).toMatchObject({
      actor_id: project.developer.id,
      details: { action: 'created', ref: 'told', ref_type: 'branch' },
    })
  })

  it('refuses a name that is there, a start that is not, and names that git or people would regret', async () => {
    const { project, path, tip } = await sample('a')
    const refused = async (branch: string, ref = 'main') =>
      (await project.developer.post(path, { branch, ref })).body.message
    expect(await refused('a')).toBe('Branch already exists')
    expect(await refused('b', 'nothing')).toBe('Invalid reference name: nothing')
    expect(await refused('b', '--all')).toBe('Invalid reference name: --all')
    for (const name of [
      '-x',
      'a\u202eb',
      'a\u2066b',
      'a\u200fb',
      'a\u061cb',
      'a b',
      'a..b',
      '@',
      'HEAD',
      String(tip),
      'refs/heads/x',
      'x.lock',
      'a~1',
      'a\u0000',
    ]) {
      const answer = await project.developer.post(path, { branch: name, ref: 'main' })
      expect([name, answer.status]).toEqual([name, 400])
      if (name !== 'a\u0000') expect(answer.body.message).toBe('Branch name is invalid')
    }
    const beside = await project.developer.post(path, { branch: 'a/b', ref: 'main' })
    expect([beside.status, beside.body.message]).toEqual([
      409,
      '409 Conflict - the name cannot exist beside refs/heads/a',
    ])
    const empty = await w.project()
    const nothing = await empty.developer.post(`/projects/${empty.id}/repository/branches`, {
      branch: 'x',
      ref: 'other',
    })
    expect([nothing.status, nothing.body.message]).toEqual([400, 'Invalid reference name: other'])
    expect((await empty.developer.get(`/projects/${empty.id}/repository/branches`)).body).toEqual([])
  })

  it('makes the first commit of an empty repository for it', async () => {
    const p = await w.project()
    const path = `/projects/${p.id}/repository`
    const make = (by: typeof p.owner, branch: string, ref = 'main') =>
      by.post(`${path}/branches`, { branch, ref })
    // The first branch is going to be protected.
    const refused = await make(p.developer, 'x')
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ])
    expect((await make(p.maintainer, 'a..b')).body.message).toBe('Branch name is invalid')
    expect((await p.owner.get(`${path}/branches`)).body).toEqual([])
    const made = await make(p.maintainer, 'x')
    expect([made.status, made.body]).toMatchObject([
      201,
      { name: 'x', default: false, commit: { message: 'Add README.md', parent_ids: [] } },
    ])
    const { body } = await p.owner.get(`${path}/branches`)
    expect(body).toMatchObject([{ name: 'main', default: true, commit: { id: made.body.commit.id } }, {}])
    expect((await p.owner.get(`${path}/files/README.md/raw?ref=x`)).text).toBe('')
    const again = await make(p.maintainer, 'main')
    expect([again.status, again.body.message]).toEqual([400, 'Branch already exists'])
  })

  it('makes the first branch itself in an empty repository', async () => {
    const p = await w.project()
    await p.owner.put(`/projects/${p.id}`, { default_branch: 'trunk' })
    const path = `/projects/${p.id}/repository/branches`
    const made = await p.owner.post(path, { branch: 'trunk', ref: 'trunk' })
    expect([made.status, made.body]).toMatchObject([201, { name: 'trunk', default: true }])
    expect((await p.owner.get(path)).body).toHaveLength(1)
  })

  it('lets one of several win', async () => {
    const { project, path } = await sample()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => project.developer.post(path, { branch: 'x', ref: 'main' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400])
  })
})

describe('DELETE of branches', () => {
  it('refuses the default branch and protected ones', async () => {
    const { project, path } = await sample('kept')
    const { maintainer } = project
    expect((await maintainer.delete(`${path}/main`)).status).toBe(405)
    await maintainer.post(`/projects/${project.id}/protected_branches`, { name: 'k*' })
    const answer = await maintainer.delete(`${path}/kept`)
    expect([answer.status, answer.body.message]).toEqual([
      403,
      '403 Forbidden - the branch kept is protected, so it cannot be deleted',
    ])
    expect((await maintainer.delete(`${path}/nothing`)).body).toEqual({ message: '404 Branch Not Found' })
  })

  it('of merged ones leaves the default branch, protected and open ones', async () => {
    const project = await w.project()
    await importInto(
      project,
      commits(
        { files: { a: '1' } },
        { branch: 'done', files: { b: '1' } },
        { branch: 'stable', files: { e: '1' }, merges: 'refs/heads/done' },
        { files: { c: '1' }, merges: 'refs/heads/stable' },
        { branch: 'open', files: { d: '1' } },
      ),
    )
    const path = `/projects/${project.id}/repository`
    await project.maintainer.post(`/projects/${project.id}/protected_branches`, { name: 'stable' })
    const answer = await project.developer.delete(`${path}/merged_branches`)
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }])
    expect(names(await project.developer.get(`${path}/branches`))).toEqual(['main', 'open', 'stable'])
    const empty = await w.project()
    expect((await empty.developer.delete(`/projects/${empty.id}/repository/merged_branches`)).status).toBe(
      202,
    )
  })
})

describe('the older routes that protect a branch', () => {
  it('protect, change and unprotect it', async () => {
    const { project, path } = await sample('x')
    const { maintainer, developer } = project
    const made = await maintainer.put(`${path}/x/protect`, { developers_can_merge: true })
    expect(made.body).toMatchObject({
      protected: true,
      developers_can_push: false,
      developers_can_merge: true,
      can_push: true,
    })
    expect((await developer.get(`${path}/x`)).body.can_push).toBe(false)
    const changed = await maintainer.put(`${path}/x/protect`, { developers_can_push: true })
    expect(changed.body).toMatchObject({ developers_can_push: true, developers_can_merge: true })
    const ended = await maintainer.put(`${path}/x/unprotect`)
    expect(ended.body).toMatchObject({ protected: false, can_push: true })
    expect((await maintainer.put(`${path}/x/unprotect`)).status).toBe(200)
    expect((await maintainer.put(`${path}/nothing/protect`)).status).toBe(404)
  })
})
