import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cloneOf, urlWith, withGit } from '#code/git-http/test-support.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { type Actor, type ContainerOptions, w } from '#test/world.ts'
import { runTask } from '../test-support.ts'
import { releaseUrl } from './addresses.ts'
import { collectDueEvidence } from './collect-due.ts'

withGit()

const tool = { name: 'tool', url: 'https://example.org/tool', direct_asset_path: '/bin/tool' }

async function place(options?: ContainerOptions) {
  const project = await branchedProject(options)
  const base = `/projects/${project.id}`
  const releases = `${base}/releases`
  const release = async (given: object = {}, by: Actor = project.developer) => {
    const { status, body, text } = await by.post(releases, { tag_name: 'v1', ref: 'main', ...given })
    if (status !== 201) throw new Error(`${status}: ${text}`)
    return body
  }
  const tried = async (given: object, by: Actor = project.developer) => {
    const { status, body } = await by.post(releases, { tag_name: 'v9', ref: 'main', ...given })
    return [status, body.message]
  }
  return { ...project, base, releases, release, tried }
}

describe('creating a release', () => {
  test('makes its tag, and shows where everything is', async () => {
    const p = await place()
    const made = await p.release({
      name: 'One',
      tag_message: 'The first',
      description: 'What is **new**',
      assets: { links: [tool] },
    })
    expect(made).toMatchObject({
      name: 'One',
      tag_name: 'v1',
      description: 'What is **new**',
      upcoming_release: false,
      author: { id: p.developer.id },
      commit: { title: 'Add d' },
      milestones: [],
      assets: {
        count: 5,
        links: [
          {
            name: 'tool',
            url: tool.url,
            direct_asset_url: expect.stringMatching(/\/-\/releases\/v1\/downloads\/bin\/tool$/),
            link_type: 'other',
          },
        ],
      },
      evidences: [{ sha: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    expect(made.assets.sources.map(({ format }: { format: string }) => format)).toEqual([
      'zip',
      'tar.gz',
      'tar.bz2',
      'tar',
    ])
    const { body: tag } = await p.developer.get(`${p.base}/repository/tags/v1`)
    expect(tag).toMatchObject({
      message: 'The first',
      release: { tag_name: 'v1', description: 'What is **new**' },
    })
    const { body: shown } = await p.developer.get(`${p.releases}/v1?include_html_description=true`)
    expect(shown).toEqual({ ...made, description_html: '<p>What is <strong>new</strong></p>\n' })
    expect((await p.developer.get(p.releases)).body).toEqual([made])
  })

  test('needs a tag, or to know where one is made', async () => {
    const p = await place()
    await p.release()
    expect(await p.tried({ tag_name: 'v1' })).toEqual([409, 'Release already exists'])
    expect(await p.tried({ ref: undefined })).toEqual([422, 'Ref is not specified'])
    expect(await p.tried({ ref: 'nowhere' })).toEqual([422, 'Target nowhere is invalid'])
    expect((await p.tried({ tag_name: 'a..b' }))[0]).toBe(400)
    expect((await p.tried({ assets: { links: [{ ...tool, url: 'javascript:alert(1)' }] } }))[0]).toBe(400)
    expect((await p.tried({ assets: { links: [tool, tool] } }))[0]).toBe(400)
    expect(await p.tried({ milestones: ['none'] })).toEqual([400, 'Milestone(s) not found: none'])
    expect((await p.tried({ milestones: ['none'], milestone_ids: [1] }))[0]).toBe(400)
    expect((await p.developer.get(`${p.base}/repository/tags`)).body).toHaveLength(1)
    await p.developer.post(`${p.base}/repository/tags`, { tag_name: 'v2', ref: 'feature' })
    expect(await p.release({ tag_name: 'v2', ref: undefined })).toMatchObject({ name: 'v2' })
  })

  test('may be early or late', async () => {
    const p = await place()
    const old = await p.release({ tag_name: 'old', released_at: '2020-01-01T00:00:00Z' })
    expect(old).toMatchObject({
      upcoming_release: false,
      released_at: '2020-01-01T00:00:00.000Z',
      evidences: [],
    })
    const next = await p.release({ tag_name: 'next', released_at: '2099-01-01T00:00:00Z' })
    expect(next).toMatchObject({ upcoming_release: true, evidences: [] })
    await p.release()
    const tags = async (query: string) =>
      (await p.developer.get(p.releases + query)).body.map((one: { tag_name: string }) => one.tag_name)
    expect(await tags('')).toEqual(['next', 'v1', 'old'])
    expect(await tags('?order_by=created_at&sort=asc')).toEqual(['old', 'next', 'v1'])
    expect(await tags('?updated_after=2099-01-01')).toEqual([])
    expect(await tags('?updated_before=2099-01-01&per_page=1')).toEqual(['next'])
    const latest = await p.developer.get(`${p.releases}/permalink/latest`)
    expect([latest.status, latest.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/\/releases\/v1$/),
    ])
    await p.developer.put(`${p.releases}/next`, { released_at: new Date().toISOString() })
    await runTask(collectDueEvidence)
    expect((await p.developer.get(`${p.releases}/next`)).body.evidences).toHaveLength(1)
  })
})

test('evidence tells those who may read the code nothing of other projects and of what is for members alone', async () => {
  const group = await w.group({ visibility: 'public' })
  const p = await place({ parent: group.id, visibility: 'public' })
  const other = await w.project({ parent: group.id })
  const { body: milestone } = await w.root.post(`/groups/${group.id}/milestones`, { title: 'All' })
  const issue = { title: 'Of another project', milestone_id: milestone.id }
  expect((await w.root.post(`/projects/${other.id}/issues`, issue)).status).toBe(201)
  await w.root.post(`${p.base}/issues`, { title: 'Of this one', milestone_id: milestone.id })
  const evidenceOf = async (tag_name: string) => {
    const { evidences } = await p.release({ tag_name, milestones: ['All'] }, w.root)
    const address = releaseUrl(new URL(evidences[0].filepath).pathname).replace('/api/v4', '')
    return (await p.anonymous.get(address)).body.release.milestones
  }
  expect(await evidenceOf('v1')).toMatchObject([{ title: 'All', issues: [{ title: 'Of this one' }] }])
  await w.root.put(p.base, { issues_access_level: 'private' })
  expect(await evidenceOf('v2')).toMatchObject([{ title: 'All', issues: [] }])
  await w.root.put(p.base, { merge_requests_access_level: 'private' })
  expect(await evidenceOf('v3')).toEqual([])
})

test('a release is changed and deleted, and its tag stays; a deleted tag takes its release along', async () => {
  const p = await place()
  const { body: milestone } = await p.maintainer.post(`${p.base}/milestones`, { title: '1.0' })
  await p.developer.post(`${p.base}/issues`, { title: 'Done', milestone_id: milestone.id })
  await p.developer.post(`${p.base}/issues`, {
    title: 'Hush',
    milestone_id: milestone.id,
    confidential: true,
  })
  const made = await p.release({ milestones: ['1.0'] })
  expect(made.milestones).toMatchObject([{ id: milestone.id }])
  const evidence = releaseUrl(new URL(made.evidences[0].filepath).pathname).replace('/api/v4', '')
  const kept = await p.reporter.get(evidence)
  expect(createHash('sha256').update(kept.text).digest('hex')).toBe(made.evidences[0].sha)
  expect(kept.body.release).toMatchObject({
    tag_name: 'v1',
    project: { id: p.id },
    milestones: [{ title: '1.0', issues: [{ title: 'Done' }] }],
  })
  expect(kept.text).not.toContain('Hush')
  const again = await p.developer.post(`${p.releases}/v1/evidence`)
  expect([again.status, again.body.evidences.length]).toEqual([201, 2])

  const { body: changed } = await p.developer.put(`${p.releases}/v1`, { name: 'Two', milestones: [] })
  expect(changed).toMatchObject({ name: 'Two', description: null, milestones: [] })
  expect((await p.developer.put(`${p.releases}/v1`, {})).body).toEqual(changed)
  const late = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
  expect((await p.developer.delete(`${p.releases}/v1`, undefined, late)).status).toBe(412)
  expect(await p.developer.delete(`${p.releases}/v1`)).toMatchObject({ status: 200, body: { name: 'Two' } })
  expect((await p.developer.get(`${p.releases}/v1`)).status).toBe(404)
  const tag = `${p.base}/repository/tags/v1`
  expect(await p.developer.get(tag)).toMatchObject({ status: 200, body: { release: null } })
  await p.release()
  expect((await p.developer.delete(tag)).status).toBe(204)
  expect((await p.developer.get(p.releases)).body).toEqual([])
})

test('links have addresses that stay', async () => {
  const p = await place()
  await p.release()
  const links = `${p.releases}/v1/assets/links`
  const { status, body: link } = await p.developer.post(links, { ...tool, link_type: 'package' })
  expect([status, link.link_type]).toEqual([201, 'package'])
  expect(await p.developer.post(links, tool)).toMatchObject({
    status: 400,
    body: { message: { name: expect.anything() } },
  })
  expect((await p.developer.post(links, { name: 'x', url: 'https://x.org', filepath: '/../x' })).status).toBe(
    400,
  )
  expect((await p.developer.get(links)).body).toEqual([link])
  expect((await p.developer.get(`${links}/${link.id}`)).body).toEqual(link)
  const url = 'https://example.org/tool-2'
  expect((await p.developer.put(`${links}/${link.id}`, { url })).body).toEqual({ ...link, url })
  const { pathname } = new URL(link.direct_asset_url)
  const direct = releaseUrl(pathname).replace('/api/v4', '')
  const found = await p.developer.get(direct)
  expect([found.status, found.headers.get('location')]).toEqual([302, url])
  await p.developer.put(`${links}/${link.id}`, { url: 'https://example.org/a €' })
  expect((await p.developer.get(direct)).headers.get('location')).toBe('https://example.org/a%20%E2%82%AC')
  const breaks = await p.developer.put(`${links}/${link.id}`, { url: 'https://example.org/\r\nX: y' })
  expect([breaks.status, breaks.body.message]).toEqual([400, { url: ['is invalid'] }])
  const page = await p.developer.get(`${p.releases}/permalink/latest/downloads/bin/tool`)
  expect([page.status, page.headers.get('location')]).toEqual([
    302,
    expect.stringMatching(/\/releases\/v1\/downloads\/bin\/tool$/),
  ])
  expect((await p.developer.get(`${p.releases}/permalink/latest/..%2F..%2Fx`)).status).toBe(404)
  expect((await p.developer.get(`${p.releases}/v1/downloads/bin/none`)).status).toBe(404)
  expect((await p.developer.delete(`${links}/${link.id}`)).body.id).toBe(link.id)
  expect((await p.developer.delete(`${links}/${link.id}`)).status).toBe(404)
})

test.each([
  ['/a/b/-/releases/v1/downloads/x/y?z=1', '/api/v4/projects/a%2Fb/releases/v1/downloads/x%2Fy?z=1'],
  ['/a/b/-/releases/r/1/downloads/x', '/api/v4/projects/a%2Fb/releases/r%2F1/downloads/x'],
  ['/a/b/c/-/releases/v1/evidences/7.json', '/api/v4/projects/a%2Fb%2Fc/releases/v1/evidences/7'],
  ['/a/b/-/releases/permalink/latest', '/api/v4/projects/a%2Fb/releases/permalink/latest'],
  ['/a/b/-/releases/permalink/latest/d/x', '/api/v4/projects/a%2Fb/releases/permalink/latest/d%2Fx'],
  ['/a/b/-/archive/v1/b-v1.tar.gz', '/api/v4/projects/a%2Fb/repository/archive.tar.gz?sha=v1'],
  ['/api/v4/projects/1/releases/v1/downloads/x/y', '/api/v4/projects/1/releases/v1/downloads/x%2Fy'],
  ['/a/b/-/releases/v1', '/a/b/-/releases/v1'],
  ['/a/b/-/releases.atom?x=1', '/api/v4/projects/a%2Fb/releases.atom?x=1'],
])('%s is where %s is', (page, api) => {
  expect(releaseUrl(page)).toBe(api)
})

test('a feed tells of what is released', async () => {
  const p = await place()
  await p.release({ tag_name: 'next', released_at: '2099-01-01T00:00:00Z' })
  await p.release({ name: 'One & <only>', description: 'What is **new**\u0001' })
  const { status, text, headers } = await p.reporter.get(`${p.releases}.atom`)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
  expect(text.match(/<title>.*<\/title>/g)).toEqual([
    `<title>${p.fullPath} releases</title>`,
    '<title>One &amp; &lt;only&gt;</title>',
  ])
  expect(text).toContain('<content type="html">&lt;p&gt;What is &lt;strong&gt;new&lt;/strong&gt;')
  expect(text).toMatch(/<link rel="alternate" type="text\/html" href="http.*\/-\/releases\/v1" ?\/>/)
  expect((await p.guest.send('HEAD', `${p.releases}.atom`)).status).toBe(200)
})

test('guests of a private project see what is released and not its code', async () => {
  const p = await place({ visibility: 'private' })
  await p.release({ assets: { links: [tool] } })
  const { body } = await p.guest.get(p.releases)
  expect(body).toMatchObject([{ name: 'v1', assets: { count: 1 } }])
  for (const name of ['tag_name', 'commit', 'commit_path', 'tag_path', 'evidences'])
    expect(body[0]).not.toHaveProperty(name)
  expect(body[0].assets).not.toHaveProperty('sources')
  expect((await p.guest.get(`${p.releases}/v1`)).status).toBe(403)
  await p.maintainer.put(p.base, { releases_access_level: 'disabled' })
  expect((await p.guest.get(p.releases)).status).toBe(403)
  expect((await p.developer.get(`${p.base}/repository/tags/v1`)).body.release).toBeNull()
})

test('who may not create a protected tag may not touch its release', async () => {
  const p = await place()
  await p.release()
  await p.maintainer.post(`${p.base}/protected_tags`, { name: 'v*', create_access_level: 40 })
  expect((await p.tried({ tag_name: 'v2' }))[0]).toBe(403)
  expect((await p.developer.put(`${p.releases}/v1`, { name: 'x' })).status).toBe(403)
  expect((await p.developer.delete(`${p.releases}/v1`)).status).toBe(403)
  expect((await p.developer.post(`${p.releases}/v1/assets/links`, tool)).status).toBe(403)
  expect((await p.tried({ tag_name: 'v2' }, p.maintainer))[0]).toBe(201)
  expect((await p.tried({ tag_name: 'other' }))[0]).toBe(201)
})

test('a group lists the releases of its projects that the caller may see', async () => {
  const p = await place({ visibility: 'private' })
  await p.release({ description: 'New' })
  const path = `/groups/${p.groupId}/releases`
  expect((await p.developer.get(path)).body).toEqual((await p.developer.get(p.releases)).body)
  const { body } = await p.developer.get(`${path}?simple=true`)
  expect(body).toEqual([
    {
      name: 'v1',
      tag_name: 'v1',
      description: 'New',
      created_at: expect.any(String),
      released_at: expect.any(String),
      upcoming_release: false,
    },
  ])
  const { body: seen } = await p.guest.get(path)
  expect(seen).toEqual((await p.guest.get(p.releases)).body)
  await p.maintainer.put(p.base, { releases_access_level: 'disabled' })
  expect((await p.developer.get(path)).body).toEqual([])
})

test('lists have long texts, and as many of them as there are', async () => {
  const p = await place()
  const description = 'long '.repeat(25_000)
  const link = { name: 'tool', url: `https://example.org/${'x'.repeat(2_000)}` }
  await p.maintainer.post(`${p.base}/milestones`, { title: '1.0', description: 'm'.repeat(10_000) })
  for (let n = 1; n <= 9; n += 1)
    await p.release({ tag_name: `v${n}`, description, milestones: ['1.0'], assets: { links: [link] } })
  const one = await p.developer.get(`${p.releases}/v9`)
  expect([one.body.description, one.body.milestones[0].description]).toEqual([
    description,
    'm'.repeat(10_000),
  ])
  for (const path of [p.releases, `/groups/${p.groupId}/releases`]) {
    // Few are read at once, many in slices.
    for (const [query, count] of [
      ['?per_page=100&sort=asc', 9],
      ['?per_page=3&sort=asc&page=3', 3],
    ] as const) {
      const { body } = await p.developer.get(path + query)
      expect(body).toHaveLength(count)
      expect(body.at(-1)).toEqual(one.body)
    }
  }
  const { body } = await p.developer.get(`${p.releases}?include_html_description=true&per_page=100`)
  expect(
    body.every((release: { description_html: string }) => release.description_html.length > 100_000),
  ).toBe(true)
})

test('two who release the same tag at once make one release', async () => {
  const p = await place()
  const both = await Promise.all([p.tried({}), p.tried({}, p.maintainer)])
  expect(new Set(both.map(([status]) => status))).toEqual(new Set([201, 409]))
  expect((await p.developer.get(p.releases)).body).toHaveLength(1)
})

test('a push that deletes tags takes their releases along', async () => {
  const p = await place()
  for (const tag_name of ['v1', 'group/v2', 'v3']) await p.release({ tag_name })
  const work = await cloneOf(urlWith(p.maintainer.token, p.fullPath))
  await work.run('push', '--quiet', 'origin', '--delete', 'v1', 'group/v2')
  const { body } = await p.developer.get(p.releases)
  expect(body.map((one: { tag_name: string }) => one.tag_name)).toEqual(['v3'])
})
