import { describe, expect, test } from 'vitest'
import { containers, on, placeWithWiki, write } from '#code/wikis/test-support.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const licensed = await w.licensed()

/** A wiki that everybody may read, and a stranger who looks at it. */
async function publicWiki(container: (typeof containers)[number]) {
  const place = await placeWithWiki(container, 'public')
  const base = `${container === 'groups' ? '/groups' : ''}/${place.fullPath}/-/wikis`
  const stranger = new Visitor(licensed.url, { headers: BROWSER })
  const shown = async (path: string, status = 200) => {
    const answer = await stranger.get(base + path, BROWSER)
    expect([path, answer.status]).toEqual([path, status])
    return answer.text
  }
  const versionOf = async (slug: string) =>
    (await on(place.developer).get(`${place.wikis}/${encodeURIComponent(slug)}/diff`)).body.commit_id
  return { place, base, shown, versionOf }
}

describe.each(containers)('the wiki of %s', (container) => {
  test('shows what each version of a page changed, where hooks say that it is', async () => {
    const { place, base, shown, versionOf } = await publicWiki(container)
    await write(place, 'Docs/One', 'first line\n')
    await on(place.developer).put(`${place.wikis}/Docs%2FOne`, { content: 'second <b>line</b>\n' })
    const second = await versionOf('Docs/One')
    await write(place, 'Other')
    // The tip of the wiki, as a hook may name it.
    const tip = await versionOf('Other')
    for (const version of [second, tip]) {
      const text = await shown(`/Docs/One/diff?version_id=${version}`)
      expect(text).toContain('<code>first line</code>')
      expect(text).toContain('<code>second &lt;b&gt;line&lt;/b&gt;</code>')
      expect(text).toContain('updated page: One')
      expect(text).not.toContain('About Other')
    }
    const change = await shown(`/Docs/One/diff?version_id=${second}&view=parallel`)
    expect(change).toContain(`href="${base}/Docs/One/diff?version_id=${second}"`)
    expect(await shown(`/Docs/One?version_id=${second}`)).toContain('As of')
    const [, before = ''] = /href="([^"]*)">The change before/.exec(change) ?? []
    const first = await shown(before.slice(base.length))
    expect(first).toContain('first line')
    expect(first).not.toContain('second')
    expect(first).not.toContain('The change before')
    await shown(`/None/diff?version_id=${tip}`, 404)
    await shown(`/Docs/One/diff?version_id=${'0'.repeat(40)}`, 404)
  })

  test('leads to its first page, in which links lead to the pages beside it', async () => {
    const { place, base, shown } = await publicWiki(container)
    await write(place, 'Beside')
    expect(await shown('')).toContain('Beside')
    await write(place, 'home', '[there](Beside)')
    const { status, headers } = await new Visitor(licensed.url).get(base, BROWSER)
    expect([status, headers.location]).toEqual([303, `${base}/home`])
    const [, link = ''] = /href="([^"]*)"[^>]*>there</.exec(await shown('/home')) ?? []
    const { pathname } = new URL(link, `${licensed.url}${base}/home`)
    expect(await shown(pathname.slice(base.length))).toContain('About Beside')
  })

  test('shows how a page went, and that it is gone', async () => {
    const { place, shown, versionOf } = await publicWiki(container)
    await write(place, 'Gone')
    await on(place.developer).delete(`${place.wikis}/Gone`)
    const text = await shown(`/Gone/diff?version_id=${await versionOf('Gone')}`)
    expect(text).toContain('<code>About Gone</code>')
    expect(text).not.toContain('The page after this change')
    const gone = await shown('/Gone', 404)
    expect(gone).toContain('The wiki has no such page')
    expect(gone).toContain('/help/wikis')
  })

  test('says what to do where there is no page yet, also at home', async () => {
    const { place, shown } = await publicWiki(container)
    for (const path of ['', '/home', '/pages']) {
      expect(await shown(path)).toContain('There is no page yet')
      expect(await shown(path)).toContain('/help/wikis')
    }
    await write(place, 'Other')
    expect(await shown('/home')).toContain('href="/')
    expect(await shown('/home')).toContain('/-/wikis/Other"')
  })
})

test('a page that is named as changes are is a page', async () => {
  const { place, shown } = await publicWiki('projects')
  await write(place, 'tools/diff')
  expect(await shown('/tools/diff')).toContain('About tools/diff')
  expect(await shown('/tools/diff?version_id=main')).toContain('About tools/diff')
  expect(await shown('/tools/diff/diff?version_id=main')).toContain('created page: diff')
})
