import { describe, expect, test } from 'vitest'
import { containers, on, placeWithWiki } from '#code/wikis/test-support.ts'
import { csrfTokenIn, person, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Pages of wikis that people write in the browser.

const licensed = await w.licensed()

async function visitorOf(namespaceId: number, level: 20 | 30): Promise<Visitor> {
  const who = await person(w)
  await w.member(namespaceId, who, level)
  const visitor = new Visitor(licensed.url)
  await visitor.signIn(who.username, who.password)
  return visitor
}

describe.each(containers)('the wiki of %s', (container) => {
  test('gets a page, which is changed, moved and deleted', async () => {
    const place = await placeWithWiki(container, 'public')
    const base = `${container === 'groups' ? '/groups' : ''}/${place.fullPath}/-/wikis`
    const developer = await visitorOf(place.namespaceId, 30)
    const reader = await visitorOf(place.namespaceId, 20)
    const contentOf = async (slug: string) =>
      (await on(place.developer).get(`${place.wikis}/${encodeURIComponent(slug)}`)).body.content

    expect((await developer.get(base, HERE)).text).toContain(`href="${base}/new?title=home"`)
    expect((await developer.get(`${base}/new?title=home`, HERE)).text).toContain('value="home"')
    const made = await submit(developer, `${base}/new`, 'create', {
      title: 'guides/First steps',
      content: '# One\r\n\r\nTwo',
      format: 'markdown',
    })
    expect(made.headers.location).toBe(`${base}/guides/First-steps`)
    expect(await contentOf('guides/First-steps')).toBe('# One\n\nTwo')
    expect((await developer.get(`${base}/guides/First-steps`, HERE)).text).toContain(
      `href="${base}/guides/First-steps/edit"`,
    )
    const again = await submit(developer, `${base}/new`, 'create', {
      title: 'guides/First steps',
      content: 'Kept',
      format: 'markdown',
    })
    expect(again.status).toBe(400)
    expect(again.text).toContain('Kept</textarea>')

    const edit = `${base}/guides/First-steps/edit`
    const form = (await developer.get(edit, HERE)).text
    await on(place.developer).put(`${place.wikis}/guides%2FFirst-steps`, { content: 'Theirs' })
    const fields = {
      authenticity_token: csrfTokenIn(form),
      seen_texts: /name="seen_texts" value="([^"]*)"/.exec(form)?.[1] ?? '',
      do: 'save',
      title: 'Next steps',
      content: 'Mine',
      format: 'markdown',
    }
    const late = await developer.post(edit, fields, HERE)
    expect(late.status).toBe(409)
    expect(late.text).toContain('Mine</textarea>')
    const seen = /name="seen_texts" value="([^"]*)"/.exec(late.text)?.[1] ?? ''
    const saved = await developer.post(edit, { ...fields, seen_texts: seen }, HERE)
    expect(saved.headers.location).toBe(`${base}/guides/Next-steps`)
    expect(await contentOf('guides/Next-steps')).toBe('Mine')

    for (const path of [`${base}/new`, `${base}/guides/Next-steps/edit`])
      expect(formsIn((await reader.get(path, HERE)).text)).toEqual([])
    expect((await reader.get(`${base}/guides/Next-steps`, HERE)).text).not.toContain('/edit"')
    const gone = await submit(developer, `${base}/guides/Next-steps/edit`, 'delete')
    expect(gone.headers.location).toBe(`${base}/pages`)
    expect((await developer.get(`${base}/guides/Next-steps`, HERE)).status).toBe(404)
  })
})
