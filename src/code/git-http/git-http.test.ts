import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { w } from '#test/world.ts'
import { cloneOf, git, projectWith, pushesTo, rowOf, urlWith, withGit } from './test-support.ts'
import { until } from '#test/until.ts'

withGit()

describe('clone and fetch', () => {
  it.each(['0', '1', '2'])('work with protocol %s', async (version) => {
    const { url, head, work } = await projectWith({ 'README.md': '# Hello\n' })
    const other = await cloneOf(url, '-c', `protocol.version=${version}`)
    expect(await other.id('HEAD')).toBe(head)
    const next = await work.commit({ a: '1' })
    await work.run('push', '--quiet', 'origin', 'main')
    await other.run('-c', `protocol.version=${version}`, 'pull', '--quiet')
    expect(await other.id('HEAD')).toBe(next)
  })

  it('of an empty project give an empty clone on its default branch', async () => {
    const project = await w.project()
    const url = urlWith(project.maintainer.token, project.fullPath)
    const clone = await cloneOf(url)
    expect(await clone.run('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n')
    await clone.commit({ a: '1' })
    expect(await clone.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  it('can be shallow, be deepened, and push from there', async () => {
    const { url, work } = await projectWith({ a: '1' })
    await work.commit({ a: '2' })
    await work.commit({ a: '3' })
    await work.run('push', '--quiet', 'origin', 'main')
    const shallow = await cloneOf(url, '--depth=1')
    expect(await shallow.run('rev-list', '--count', 'HEAD')).toBe('1\n')
    const pushed = await shallow.commit({ a: '4' })
    await shallow.run('push', '--quiet', 'origin', 'main')
    expect((await rowOf({ id: (await idOf(url)).id })).last_commit_sha).toBe(pushed)
    await shallow.run('fetch', '--quiet', '--unshallow')
    expect(await shallow.run('rev-list', '--count', 'HEAD')).toBe('4\n')
  })

  it('can be partial, and fetch single files later', async () => {
    const { url } = await projectWith({ a: 'first', b: 'second' })
    const partial = await cloneOf(url, '--filter=blob:none', '--no-checkout')
    const missing = await partial.run('rev-list', '--objects', '--all', '--missing=print')
    expect(missing.match(/^\?/gm)).toHaveLength(2)
    expect(await partial.run('show', 'HEAD:b')).toBe('second')
  })

  it('work without .git at the end, and with encoded paths', async () => {
    const { url, head } = await projectWith({ a: '1' })
    for (const other of [url.replace(/\.git$/, ''), url.replace(/project-/, 'project%2D')]) {
      expect(await git().run(['ls-remote', other, 'HEAD'])).toContain(head)
    }
  })

  it('takes compressed requests', async () => {
    const { url, project, head } = await projectWith({ a: '1' })
    const want = `want ${head} no-progress\n`
    const body = `${(want.length + 4).toString(16).padStart(4, '0')}${want}00000009done\n`
    const answer = await fetch(`${w.url}/${project.fullPath}.git/git-upload-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(new URL(url).username + ':' + project.maintainer.token).toString('base64')}`,
        'content-type': 'application/x-git-upload-pack-request',
        'content-encoding': 'gzip',
      },
      body: gzipSync(body),
    })
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).includes('PACK')).toBe(true)
  })
})

const idOf = async (url: string) => {
  const path = new URL(url).pathname.slice(1).replace(/\.git$/, '')
  return (await w.root.get(`/projects/${encodeURIComponent(path)}`)).body
}

describe('push', () => {
  it('creates, moves, forces and deletes branches and tags, and records each', async () => {
    const { url, work, project, head } = await projectWith({ a: '1' })
    await work.run('checkout', '--quiet', '-b', 'feature/x')
    await work.commit({ b: '1' }, 'Add b')
    await work.run('tag', 'light')
    await work.run('tag', '-m', 'Version 1', 'v1')
    await work.run('push', '--quiet', 'origin', 'feature/x', 'light', 'v1')
    await work.run('commit', '--quiet', '--amend', '-m', 'Other')
    const refused = await work.try('push', 'origin', 'feature/x')
    expect(refused.err).toContain('non-fast-forward')
    await work.run('push', '--quiet', '--force', 'origin', 'feature/x')
    const refs = await git().run(['ls-remote', url])
    expect(refs).toContain(`${await work.id('HEAD')}\trefs/heads/feature/x`)
    expect(refs).toContain('refs/tags/v1^{}')
    expect(await rowOf(project)).toMatchObject({
      branch_count: 2,
      tag_count: 2,
      last_commit_sha: head,
      default_branch: 'main',
    })
    await work.run('push', '--quiet', 'origin', '--delete', 'feature/x', 'light')
    expect(await rowOf(project)).toMatchObject({ branch_count: 1, tag_count: 1, last_tag: 'v1' })
    const told = (await pushesTo(project)).map((one) => [
      one.action,
      one.ref_type,
      one.ref,
      one.commit_count,
      one.commit_title,
    ])
    expect(told).toEqual([
      ['created', 'branch', 'main', 1, 'Change files'],
      ['created', 'branch', 'feature/x', 1, 'Add b'],
      ['created', 'tag', 'light', 0, 'Add b'],
      ['created', 'tag', 'v1', 0, 'Add b'],
      ['pushed', 'branch', 'feature/x', 1, 'Other'],
      ['removed', 'branch', 'feature/x', 0, null],
      ['removed', 'tag', 'light', 0, null],
    ])
    expect((await pushesTo(project))[0]).toMatchObject({ actor_id: project.maintainer.id, commit_to: head })
  })

  it('of more references than the setting allows is one event', async () => {
    const { work, project } = await projectWith({ a: '1' })
    for (const name of ['one', 'two', 'three', 'four']) await work.run('branch', name)
    await work.run('push', '--quiet', 'origin', 'one', 'two', 'three', 'four')
    expect((await pushesTo(project)).slice(1)).toMatchObject([
      { action: 'created', ref_type: 'branch', ref: null, ref_count: 4, commit_count: 0 },
    ])
    expect(await rowOf(project)).toMatchObject({ branch_count: 5 })
  })

  it('updates what is right and refuses the rest, or all of it if it is atomic', async () => {
    const { work, url } = await projectWith({ a: '1' })
    const other = await cloneOf(url)
    await other.commit({ a: '2' })
    await other.run('push', '--quiet', 'origin', 'main')
    await work.commit({ a: '3' })
    await work.run('branch', 'more')
    const atomic = await work.try('push', '--atomic', 'origin', 'main', 'more')
    expect(atomic.code).toBe(1)
    expect(await git().run(['ls-remote', url])).not.toContain('refs/heads/more')
    const mixed = await work.try('push', 'origin', 'main', 'more')
    expect(mixed.code).toBe(1)
    expect(await git().run(['ls-remote', url])).toContain('refs/heads/more')
  })

  it('is refused when it is larger than the setting allows', async () => {
    const { work, project } = await projectWith({ a: '1' })
    const { body: before } = await w.root.get('/application/settings')
    expect([before.receive_max_input_size, before.max_import_size]).toEqual([5_120, 5_120])
    await w.root.put('/application/settings', { receive_max_input_size: 1 })
    try {
      await work.run('config', 'core.compression', '0')
      // The refusal comes while git still sends.
      await work.commit({ large: randomBytes(24 * 1024 * 1024) })
      const refused = await work.try('push', 'origin', 'main')
      expect(refused.err).toContain(
        'remote: Forgelet: The push is larger than the 1 MB that this server accepts',
      )
      // Git has read the whole report, and knows of no broken connection.
      expect(refused.err).toContain('[remote rejected] main -> main (the push was refused)')
      expect(refused.err).not.toContain('RPC failed')
      expect((await pushesTo(project)).length).toBe(1)
    } finally {
      await w.root.put('/application/settings', { receive_max_input_size: 5_120 })
    }
    expect(await work.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  it.each([
    ['refs/keep-around/x', 'belong to the server'],
    ['refs/heads/-x', 'begin with a dash'],
    ['refs/heads/HEAD', 'means something else'],
    ['refs/heads/0123456789012345678901234567890123456789', 'id of a commit'],
  ])('refuses the name %s', async (name, reason) => {
    const { work, url } = await projectWith({ a: '1' })
    const refused = await work.try('push', 'origin', `main:${name}`)
    expect(refused.err).toContain(reason)
    expect(await git().run(['ls-remote', url])).not.toContain(name)
  })

  it('refuses to delete the default branch', async () => {
    const { work } = await projectWith({ a: '1' })
    expect((await work.try('push', 'origin', '--delete', 'main')).err).toContain('default branch')
  })

  it('refuses a branch in the place of a folder of branches', async () => {
    const { work } = await projectWith({ a: '1' })
    await work.run('push', '--quiet', 'origin', 'main:refs/heads/a')
    expect((await work.try('push', 'origin', 'main:refs/heads/a/b')).err).toContain(
      'cannot exist beside refs/heads/a',
    )
  })

  it('refuses objects that could hurt those who check them out', async () => {
    const { work, url } = await projectWith({ a: '1' })
    const blob = (await work.run('hash-object', '-w', 'a')).trim()
    for (const name of ['.git', '..', '.GIT', 'a/b', 'GIT~1', '.g\u200cit', 'a\\.git']) {
      const tree = await git().run(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        cwd: work.folder,
        input: Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]),
      })
      const commit = (await work.run('commit-tree', '-m', 'x', tree.trim())).trim()
      const refused = await work.try('push', 'origin', `${commit}:refs/heads/harmful`)
      expect([name, refused.code]).toEqual([name, 1])
      expect(refused.err).toContain('remote: Forgelet: ')
    }
    expect(await git().run(['ls-remote', url])).not.toContain('harmful')
  })

  it('refuses names that read as others, and lets those that are there be deleted', async () => {
    const { work, project, url } = await projectWith({ a: '1' })
    const misleading = 'main\u202e'
    const refused = await work.try('push', 'origin', `main:${misleading}`, 'main:refs/tags/v1\u2066')
    expect(refused.err).toContain('the name must not have characters that change the direction of text')
    expect(await git().run(['ls-remote', url])).not.toMatch(/\p{Bidi_Control}/u)
    const tip = await work.id('main')
    const repository = await w.running.services.repositories.ofProject(project.id)
    await repository?.git.capture(repository, ['update-ref', `refs/heads/${misleading}`, tip])
    await work.run('push', '--quiet', 'origin', `:${misleading}`)
    expect(await git().run(['ls-remote', url])).not.toMatch(/\p{Bidi_Control}/u)
  })

  it('refuses what is incomplete', async () => {
    const { work, url } = await projectWith({ a: '1' })
    const gone = '1234567890123456789012345678901234567890'
    const commit = (
      await git().run(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
        cwd: work.folder,
        input: `tree ${gone}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      })
    ).trim()
    const pack = await work.pack(commit)
    const line = `${'0'.repeat(40)} ${commit} refs/heads/harmful\0report-status\n`
    const head = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
    const answer = await fetch(`${url.replace(/\/\/.*@/, '//')}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`x:${new URL(url).password}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: Buffer.concat([Buffer.from(head), pack]),
    })
    expect(await answer.text()).toMatch(/ng refs\/heads\/harmful/)
    expect(await git().run(['ls-remote', url])).not.toContain('harmful')
  })
})

describe('pushes at the same time', () => {
  /** A project, and commits on the last one of it that know nothing of each other. */
  async function withRivals() {
    const found = await projectWith({ a: '1' })
    const commit = (count: number) =>
      found.work.run('commit-tree', '-p', 'HEAD', '-m', `rival ${count}`, 'HEAD^{tree}')
    const rivals = await Promise.all(Array.from({ length: 20 }, (_, count) => commit(count)))
    return { ...found, rivals: rivals.map((id) => id.trim()) }
  }

  it('to one branch: one of twenty wins, the others are told', async () => {
    const { url, project, work, rivals } = await withRivals()
    const results = await Promise.all(rivals.map((id) => work.try('push', url, `${id}:refs/heads/main`)))
    const winners = rivals.filter((_, index) => results[index]?.code === 0)
    expect(winners).toHaveLength(1)
    for (const { code, err } of results) {
      if (code !== 0) expect(err).toMatch(/non-fast-forward|changed it meanwhile|cannot lock ref/)
    }
    expect(await pushesTo(project)).toHaveLength(2)
    expect(await rowOf(project)).toMatchObject({ commit_count: 2, last_commit_sha: winners[0] })
  })

  it('to twenty branches all succeed, and each is recorded once', async () => {
    const { url, project, work, rivals } = await withRivals()
    const results = await Promise.all(
      rivals.map((id, index) => work.try('push', url, `${id}:refs/heads/branch-${index}`)),
    )
    expect(results.map(({ code }) => code)).toEqual(rivals.map(() => 0))
    expect(await rowOf(project)).toMatchObject({ branch_count: 21 })
    const recorded = (await pushesTo(project)).map((one) => `${String(one.ref)} ${String(one.commit_to)}`)
    const wanted = rivals.map((id, index) => `branch-${index} ${id}`)
    expect(recorded.slice(1).toSorted()).toEqual(wanted.toSorted())
  })

  it('of two servers on one database and disk are recorded once, too', async () => {
    const { project, url, work } = await projectWith({ a: '1' })
    const second = await w.another()
    try {
      const there = url.replace(new URL(url).host, new URL(second.url).host)
      const other = await cloneOf(url)
      await work.commit({ b: '1' })
      await other.commit({ c: '1' })
      const results = await Promise.all([
        work.try('push', 'origin', 'main:x'),
        other.try('push', there, 'main:y'),
      ])
      expect(results.map(({ code }) => code)).toEqual([0, 0])
      expect(await rowOf(project)).toMatchObject({ branch_count: 3, version: 3 })
      expect(await pushesTo(project)).toHaveLength(3)
    } finally {
      await second.stop()
    }
  })
})

describe('a push that is interrupted', () => {
  it('leaves nothing behind', async () => {
    const { project, url } = await projectWith({ a: '1' })
    const { folder } = (await w.running.services.repositories.ofProject(project.id)) ?? { folder: '' }
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/half\0report-status\n`
    const head = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
    // The beginning of a file of 1600 bytes, which git waits for.
    const file = deflateSync(randomBytes(1_600)).subarray(0, 1_000)
    const pack = Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 9, 0xb0, 0x64]), file])
    const leaving = new AbortController()
    const sent = fetch(`${w.url}/${project.fullPath}.git/git-receive-pack`, {
      method: 'POST',
      duplex: 'half',
      signal: leaving.signal,
      headers: {
        authorization: `Basic ${Buffer.from(`x:${new URL(url).password}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(head)
          controller.enqueue(pack)
        },
      }),
    }).catch((error: unknown) => error)
    const quarantines = async () =>
      (await readdir(`${folder}/objects`)).filter((name) => name.startsWith('tmp_objdir'))
    await until(async () => expect(await quarantines()).toHaveLength(1))
    leaving.abort()
    await sent
    await until(async () => expect(await quarantines()).toEqual([]))
    expect(await git().run(['ls-remote', url])).not.toContain('half')
    expect(await pushesTo(project)).toHaveLength(1)
  })
})

describe('a clone that is abandoned', () => {
  it('ends its processes, and gives its place back', async () => {
    const { project, head } = await projectWith({ large: randomBytes(16 * 1024 * 1024) })
    const want = `want ${head} side-band-64k ofs-delta\n`
    const leaving = new AbortController()
    const answer = await fetch(`${w.url}/${project.fullPath}.git/git-upload-pack`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${project.reporter.token}`,
        'content-type': 'application/x-git-upload-pack-request',
      },
      body: `${(want.length + 4).toString(16).padStart(4, '0')}${want}00000009done\n`,
    })
    expect(answer.status).toBe(200)
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const running = () =>
      w.running.services.repositories.git.usage().find(({ lane }) => lane === 'transfer')?.running
    expect(running()).toBe(1)
    leaving.abort()
    await until(() => expect(running()).toBe(0))
  })
})
