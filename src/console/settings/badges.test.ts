import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

test('badges of groups and projects are made, changed, deleted, and stand on first pages', async () => {
  const group = await w.group({ visibility: 'public' })
  const p = await w.project({ parent: group.id, visibility: 'public' })
  const owner = await signedIn(w)
  await w.member(group.id, owner, 50)
  const { visitor } = owner
  const elsewhere = {
    name: '<b>Chat</b>',
    link_url: 'https://chat.example/%{project_path}',
    image_url: 'https://img.example/chat.svg',
  }
  for (const { page, first, at } of [
    {
      page: `/groups/${group.fullPath}/-/settings/badges`,
      first: `/${group.fullPath}`,
      at: `groups/${group.id}`,
    },
    { page: `/${p.fullPath}/-/settings/badges`, first: `/${p.fullPath}`, at: `projects/${p.id}` },
  ]) {
    const badges = async () =>
      (await owner.user.get(`/${at}/badges?name=${encodeURIComponent(elsewhere.name)}`)).body
    await submit(visitor, page, 'add', elsewhere)
    const shown = (await visitor.get(first, HERE)).text
    // The picture of another server is not loaded.
    expect(shown).toContain(`href="https://chat.example/${p.fullPath}"`)
    expect(shown).toContain('&lt;b&gt;Chat')
    expect(shown).not.toContain('src="https://img.example')
    const own = (await badges()).at(-1)
    await submit(visitor, page, `save/${own.id}`, { image_url: `${w.url}/-/icon.svg` })
    expect((await visitor.get(first, HERE)).text).toContain('src="/-/icon.svg"')
    const wrong = await submit(visitor, page, `save/${own.id}`, { link_url: 'javascript:alert(1)' })
    expect([wrong.status, wrong.text.includes('-link_url-problem"')]).toEqual([400, true])
  }
  const page = `/${p.fullPath}/-/settings/badges`
  const all = (await owner.user.get(`/projects/${p.id}/badges`)).body
  const shown = (await visitor.get(page, HERE)).text
  expect(
    all.map(({ kind, id }: { kind: string; id: number }) => [kind, shown.includes(`delete/${id}`)]),
  ).toEqual([
    ['group', false],
    ['project', true],
  ])
  await submit(visitor, page, `delete/${all[1].id}`)
  expect((await owner.user.get(`/projects/${p.id}/badges`)).body).toMatchObject([{ kind: 'group' }])
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  expect((await developer.visitor.get(page, HERE)).status).toBe(404)
})
