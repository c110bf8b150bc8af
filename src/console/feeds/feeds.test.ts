import { describe, expect, it, test } from 'vitest'
import { resetFeedToken, makeFeedToken, feedTokenOf } from '#identity/feed-tokens/feed-token.ts'
import { Client } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { signedIn } from '#test/visitor.ts'
import { type Actor, w } from '#test/world.ts'

const anonymous = new Client(w.url)

/** A token for feeds, as its owner reads it. */
async function tokenOf({ id }: Pick<Actor, 'id'>): Promise<string> {
  const { services } = w.running
  const token = await makeFeedToken(services)
  await w.write((tx) => resetFeedToken(tx, id, token))
  return (await feedTokenOf(services, id)) ?? ''
}

/** Reads a feed, as a program without anything but the address. */
const read = (address: string, feed_token?: string, headers: Record<string, string> = {}) =>
  anonymous.get(
    `${w.url}${address}${feed_token === undefined ? '' : `${address.includes('?') ? '&' : '?'}feed_token=${feed_token}`}`,
    { headers },
  )

const titles = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/<entry [^]*?<title>(.*?)<\/title>/g)].map(([, title]) => title)

async function filled() {
  const p = await w.project()
  await giveSample(p)
  const path = `/projects/${p.id}`
  await p.owner.post(`${path}/issues`, { title: 'First <b>', description: 'It & that\u0007' })
  await p.owner.post(`${path}/issues`, { title: 'Hidden', confidential: true })
  await p.developer.post(`${path}/issues/1/notes`, { body: 'Seen' })
  return { ...p, path }
}

describe('feeds', () => {
  it('of a project are issues, commits, tags and activity, as far as their reader sees them', async () => {
    const p = await filled()
    const [guest, planner] = [await tokenOf(p.guest), await tokenOf(p.planner)]
    const issues = await read(`/${p.fullPath}/-/issues.atom`, planner)
    expect([issues.status, issues.headers.get('content-type')]).toEqual([
      200,
      'application/atom+xml; charset=utf-8',
    ])
    expect(titles(issues)).toEqual(['Hidden', 'First &lt;b&gt;'])
    expect(issues.text).toContain('<summary type="text">It &amp; that</summary>')
    expect(issues.text).toContain(
      `<link rel="self" type="application/atom+xml" href="${w.url}/${p.fullPath}/-/issues.atom" />`,
    )
    expect(issues.text).not.toContain(planner)
    expect(titles(await read(`/${p.fullPath}/-/issues?format=atom`, guest))).toEqual(['First &lt;b&gt;'])
    expect(titles(await read(`/${p.fullPath}/-/issues.atom?state=closed`, guest))).toEqual([])
    expect(titles(await read(`/${p.fullPath}/-/merge_requests.atom`, planner))).toEqual([])
    const code = await tokenOf(p.developer)
    const commits = await read(`/${p.fullPath}/-/commits/main?format=atom`, code)
    expect(titles(commits).length).toBeGreaterThan(0)
    expect((await read(`/${p.fullPath}/-/commits/nothing?format=atom`, code)).status).toBe(404)
    // They see the project, but not its code.
    for (const feed of ['commits/main', 'tags'])
      expect((await read(`/${p.fullPath}/-/${feed}.atom`, guest)).status).toBe(403)
    expect((await read(`/${p.fullPath}/-/commits/main.atom`)).status).toBe(404)
    expect((await read(`/${p.fullPath}/-/tags?format=atom`, code)).status).toBe(200)
    expect((await read(`/${p.fullPath}/-/releases.atom`, code)).status).toBe(200)
    const activity = await read(`/${p.fullPath}.atom`, planner)
    expect(titles(activity).slice(0, 3)).toEqual([
      expect.stringMatching(new RegExp(`commented on issue 1 at ${p.fullPath}$`)),
      expect.stringContaining('opened issue 2'),
      expect.stringContaining('opened issue 1'),
    ])
    expect(activity.text).toContain(`${w.url}/${p.fullPath}/-/issues/1#note_`)
    expect((await read(`/${p.fullPath}.atom`, guest)).text).not.toContain('issue 2')
  })

  it('of groups, people and the dashboard are there, too', async () => {
    const p = await filled()
    const group = p.fullPath.split('/')[0]
    await w.memberAtLeast(p.groupId, p.owner, 50)
    await p.owner.put(`${p.path}/issues/1`, { assignee_ids: [p.owner.id] })
    const token = await tokenOf(p.owner)
    for (const address of [
      `/${group}.atom`,
      `/groups/${group}.atom`,
      '/dashboard/projects.atom',
      `/${p.owner.username}.atom`,
    ])
      expect([address, (await read(address, token)).text]).toEqual([
        address,
        expect.stringContaining(`issue 1 at ${p.fullPath}`),
      ])
    expect(titles(await read(`/groups/${group}/-/issues.atom`, token))).toEqual(['Hidden', 'First &lt;b&gt;'])
    expect(titles(await read('/dashboard/issues.atom', token))).toEqual(['First &lt;b&gt;'])
    expect(titles(await read('/dashboard/merge_requests.atom', token))).toEqual([])
    expect((await read('/nobody-of-this-name.atom', token)).status).toBe(404)
  })

  it('are for browsers by their session, and for strangers where they see as much', async () => {
    const p = await w.project({ visibility: 'public' })
    const { reader } = await w.session(p.guest)
    for (const accept of ['text/html', '*/*', 'application/atom+xml']) {
      const headers = { accept }
      expect((await read(`/${p.fullPath}/-/issues.atom`, undefined, headers)).status).toBe(200)
      expect((await read(`/${p.fullPath}.atom`, undefined, headers)).status).toBe(401)
      expect((await read('/dashboard/issues.atom', undefined, headers)).status).toBe(401)
      expect((await reader.get(`${w.url}/${p.fullPath}.atom`, { headers })).status).toBe(200)
    }
    expect((await p.guest.get(`${w.url}/${p.fullPath}.atom`)).status).toBe(200)
    const hidden = await w.project()
    for (const page of ['.atom', '/-/issues.atom', '/-/tags.atom', '/-/commits/main?format=atom'])
      expect((await p.guest.get(`${w.url}/${hidden.fullPath}${page}`)).status).toBe(404)
  })

  it('have at most 20 entries, and are not sent again to those who have them', async () => {
    const p = await w.project()
    for (let n = 0; n < 22; n += 1)
      await p.owner.post(`/projects/${p.id}/issues`, { title: `Issue ${n}`, description: 'x'.repeat(5_000) })
    const token = await tokenOf(p.guest)
    const feed = await read(`/${p.fullPath}/-/issues.atom`, token)
    expect(titles(feed)).toHaveLength(20)
    expect(feed.text.length).toBeLessThan(60_000)
    const known = { 'if-none-match': feed.headers.get('etag') ?? '' }
    expect((await read(`/${p.fullPath}/-/issues.atom`, token, known)).status).toBe(304)
    expect((await anonymous.head(`${w.url}/${p.fullPath}/-/issues.atom?feed_token=${token}`)).status).toBe(
      200,
    )
  })
})

describe('a token for feeds', () => {
  it('is made and reset on the page of access tokens, which shows it', async () => {
    const { visitor } = await signedIn(w)
    const page = '/-/user_settings/personal_access_tokens'
    const shown = async () => /id="feed-token" value="([^"]*)"/.exec((await visitor.get(page)).text)?.[1]
    expect(await shown()).toBeUndefined()
    expect((await visitor.submit(page, `${page}/feed/reset`)).status).toBe(303)
    const first = await shown()
    expect(first).toMatch(/^glft-[\w-]{27}$/)
    expect((await read('/dashboard/issues.atom', first)).status).toBe(200)
    expect((await visitor.post(`${page}/feed/reset`)).status).toBe(403)
    await visitor.submit(page, `${page}/feed/reset`)
    const second = await shown()
    expect(second).not.toBe(first)
    expect((await read('/dashboard/issues.atom', first)).status).toBe(401)
    expect((await read('/dashboard/issues.atom', second)).status).toBe(200)
  })

  it('reads nothing but feeds', async () => {
    const p = await w.project()
    const token = await tokenOf(p.owner)
    for (const path of ['/user', '/projects', `/projects/${p.id}/issues`, `/projects/${p.id}`])
      expect((await anonymous.get(`${path}?feed_token=${token}`)).status).toBe(401)
    expect(
      (await anonymous.post(`/projects/${p.id}/issues?feed_token=${token}`, { title: 'x' })).status,
    ).toBe(401)
    expect((await anonymous.get('/user', { headers: { 'private-token': token } })).status).toBe(401)
    expect((await anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    expect((await read(`/dashboard/issues.atom?sudo=root`, token)).status).toBe(403)
  })

  it('that is wrong, or whose owner is blocked or gone, is worth nothing', async () => {
    const p = await w.project({ visibility: 'public' })
    const address = `/${p.fullPath}/-/issues.atom`
    for (const wrong of ['glft-wrong', '%00', 'x'.repeat(5_000), '%FF'])
      expect((await read(address, wrong)).status).toBe(401)
    expect((await read(`${address}?feed_token[]=a`)).status).toBe(401)
    const [blocked, gone] = [await w.user(), await w.user()]
    const [ofBlocked, ofGone] = [await tokenOf(blocked), await tokenOf(gone)]
    await w.root.post(`/users/${blocked.id}/block`)
    await w.root.delete(`/users/${gone.id}`)
    expect((await read(address, ofBlocked)).status).toBe(401)
    expect((await read(address, ofGone)).status).toBe(401)
    expect((await read(address, '')).status).toBe(200)
  })
})

test('pages name their feeds', async () => {
  const p = await w.project({ visibility: 'public' })
  await giveSample(p)
  for (const [page, feed] of [
    [`/${p.fullPath}`, `/${p.fullPath}.atom`],
    [`/${p.fullPath}/-/issues`, `/${p.fullPath}/-/issues.atom`],
    [`/${p.fullPath}/-/commits/main`, `/${p.fullPath}/-/commits/main?format=atom`],
  ] as const) {
    const { text } = await anonymous.get(`${w.url}${page}`, { headers: { accept: 'text/html' } })
    expect(text).toContain(`<link rel="alternate" type="application/atom+xml" href="${feed}" />`)
  }
})
