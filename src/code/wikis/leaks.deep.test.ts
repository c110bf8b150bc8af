import { expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { git, withGit } from '#code/git-http/test-support.ts'
import {
  type Container,
  containers,
  gitUrl,
  on,
  placeWithWiki,
  type WithWiki,
  write,
} from './test-support.ts'

withGit()

type Level = 'disabled' | 'private' | 'enabled'
const visibilities = ['private', 'internal', 'public'] as const

/** Whether somebody reads a wiki, said without the rules of the program. */
function reads(who: string, visibility: (typeof visibilities)[number], level: Level): boolean {
  if (level === 'disabled') return false
  if (who === 'admin' || who === 'guest') return true
  if (level === 'private') return false
  return visibility === 'public' || (visibility === 'internal' && who === 'stranger')
}

/** Everything that tells of a page, in one place. */
async function withPage(container: Container, visibility: (typeof visibilities)[number]) {
  const p = await placeWithWiki(container, visibility)
  const page = await write(p, 'Secret page', 'Secret content')
  const at = `${p.at}/wiki_pages/${page.wiki_page_meta_id}`
  const { body: note } = await on(p.owner).post(`${at}/notes`, { body: 'Secret note' })
  await on(p.owner).post(`${at}/award_emoji`, { name: 'tada' })
  const anonymously = [
    p.wikis,
    `${p.wikis}?with_content=true`,
    `${p.wikis}/Secret-page`,
    `${p.wikis}/Secret-page?render_html=true`,
    `${at}/award_emoji`,
    `${at}/notes/${note.id}/award_emoji`,
  ]
  const signedIn = [`${at}/notes`, `${at}/notes/${note.id}`, `${at}/discussions`]
  return { p, anonymously, signedIn }
}

async function expectReads(by: Client, paths: readonly string[], may: boolean, cell: string): Promise<void> {
  for (const path of paths) {
    const { status, text } = await on(by).get(path)
    expect([cell, path, status === 200]).toEqual([cell, path, may])
    if (!may) expect(text).not.toMatch(/secret/i)
  }
}

const tokenOf = (p: WithWiki, who: string): string | undefined =>
  who === 'guest' ? p.guest.token : who === 'stranger' ? p.stranger.token : undefined

test.each(containers)('nobody learns of pages of %s that they may not read', async (container) => {
  const external = await w.user({ external: true })
  let cells = 0
  for (const visibility of visibilities) {
    const { p, anonymously, signedIn } = await withPage(container, visibility)
    const people = { admin: p.admin, guest: p.guest, stranger: p.stranger, external, nobody: p.anonymous }
    for (const level of ['enabled', 'private', 'disabled'] as const) {
      expect((await on(p.admin).put(p.at, { wiki_access_level: level })).status).toBe(200)
      for (const [who, by] of Object.entries(people)) {
        const cell = `${who}, ${visibility}, ${level}`
        const may = reads(who, visibility, level)
        await expectReads(by, anonymously, may, cell)
        await expectReads(by, signedIn, may && who !== 'nobody', cell)
        cells += anonymously.length + signedIn.length
      }
      for (const who of ['guest', 'stranger', 'nobody']) {
        const { code } = await git().try(['ls-remote', gitUrl(tokenOf(p, who), p.fullPath)])
        const cell = `git, ${who}, ${visibility}, ${level}`
        expect([cell, code === 0]).toEqual([cell, reads(who, visibility, level)])
      }
    }
  }
  expect(cells).toBe(3 * 3 * 5 * 9)
})

test('a token without the scope reads no wiki', async () => {
  const { p, anonymously, signedIn } = await withPage('projects', 'private')
  const { client } = await w.token(p.owner, ['read_repository'])
  await expectReads(client, [...anonymously, ...signedIn], false, 'read_repository')
  const { client: reader } = await w.token(p.owner, ['read_api'])
  await expectReads(reader, [...anonymously, ...signedIn], true, 'read_api')
  expect((await reader.post(p.wikis, { title: 'a', content: 'b' })).status).toBe(403)
})

test('a page of a project is none of its group, nor the other way round', async () => {
  const project = await w.project()
  await w.memberAtLeast(project.groupId, project.owner, 50)
  const made = await project.owner.post(`/projects/${project.id}/wikis`, { title: 'a', content: 'b' })
  const { wiki_page_meta_id: id } = made.body
  const owner = on(project.owner)
  expect((await owner.get(`/groups/${project.groupId}/wiki_pages/${id}/notes`)).status).toBe(404)
  expect((await owner.get(`/groups/${project.groupId}/wikis`)).body).toEqual([])
  const ofGroup = await owner.post(`/groups/${project.groupId}/wikis`, { title: 'c', content: 'd' })
  const other = ofGroup.body.wiki_page_meta_id
  expect((await owner.get(`/projects/${project.id}/wiki_pages/${other}/notes`)).status).toBe(404)
})
