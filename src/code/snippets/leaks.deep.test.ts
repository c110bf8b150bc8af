import { expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { create } from './test-support.ts'

type Level = 'disabled' | 'private' | 'enabled'
type Visibility = (typeof visibilities)[number]
const visibilities = ['private', 'internal', 'public'] as const

/** Whether somebody reads what has this visibility, said without the rules of the program. */
const lets = (who: string, visibility: Visibility): boolean =>
  visibility === 'public' || (visibility === 'internal' && who === 'stranger')

function reads(who: string, project: Visibility, snippet: Visibility, level: Level): boolean {
  if (level === 'disabled') return false
  if (who === 'admin' || who === 'guest') return true
  return level === 'enabled' && lets(who, project) && lets(who, snippet)
}

/** Expects that somebody reads all of these, or learns nothing from them. */
async function expectReads(by: Client, paths: readonly string[], may: boolean, cell: string): Promise<void> {
  for (const path of paths) {
    const { status, text } = await by.get(path)
    expect([cell, path, status === 200]).toEqual([cell, path, may])
    if (!may) expect(text).not.toMatch(/secret/i)
  }
}

/** Whether lists and their totals have a snippet. */
async function expectListed(by: Client, list: string, id: number, may: boolean, cell: string): Promise<void> {
  const { status, body } = await by.get(list)
  const found = status === 200 && body.some((one: { id: number }) => one.id === id)
  expect([cell, list, found]).toEqual([cell, list, may])
}

test('nobody learns of a snippet of a project that they may not read', async () => {
  const external = await w.user({ external: true })
  let cells = 0
  for (const ofProject of visibilities) {
    const p = await w.project({ visibility: ofProject })
    const at = `/projects/${p.id}`
    const people = { admin: p.admin, guest: p.guest, stranger: p.stranger, external, nobody: p.anonymous }
    const made = []
    for (const visibility of visibilities) {
      const secret = {
        visibility,
        title: 'Secret',
        description: 'Secret',
        file_name: 'secret.txt',
        content: 'Secret',
      }
      const snippet = await create(p.developer, `${at}/snippets`, secret)
      const { body: note } = await p.owner.post(`${snippet.path}/notes`, { body: 'Secret note' })
      await p.owner.post(`${snippet.path}/award_emoji`, { name: 'tada' })
      made.push({ visibility, snippet, note })
    }
    for (const level of ['enabled', 'private', 'disabled'] as const) {
      expect((await p.admin.put(at, { snippets_access_level: level })).status).toBe(200)
      for (const [who, by] of Object.entries(people)) {
        for (const { visibility, snippet, note } of made) {
          const cell = `${who}, project ${ofProject}, snippet ${visibility}, ${level}`
          const may = reads(who, ofProject, visibility, level)
          const { path, id } = snippet
          const open = [path, `${path}/raw`, `${path}/files/main/secret.txt/raw`, `${path}/award_emoji`]
          const signedIn = [`${path}/notes`, `${path}/notes/${note.id}`, `${path}/discussions`]
          await expectReads(by, [...open, `${path}/notes/${note.id}/award_emoji`], may, cell)
          await expectReads(by, signedIn, may && who !== 'nobody', cell)
          await expectListed(by, `${at}/snippets`, id, may, cell)
          await expectListed(by, '/snippets/all?per_page=100', id, may && who !== 'nobody', cell)
          await expectListed(by, '/snippets/public?per_page=100', id, false, cell)
          expect([cell, (await by.get(`/snippets/${id}`)).status]).toEqual([cell, 404])
          cells += 1
        }
        const visible = made.filter((one) => reads(who, ofProject, one.visibility, level)).length
        const total = (await by.get(`${at}/snippets?per_page=1`)).headers.get('x-total')
        expect(Number(total ?? 0)).toBe(visible)
      }
    }
  }
  expect(cells).toBe(3 * 3 * 3 * 5)
})

test('nobody learns of a snippet of a person that they may not read', async () => {
  const [author, stranger, external] = [await w.user(), await w.user(), await w.user({ external: true })]
  const people = { admin: w.root, author, stranger, external, nobody: w.anonymous }
  for (const visibility of visibilities) {
    const { path, id } = await create(author, '/snippets', { visibility, title: 'Secret', content: 'Secret' })
    for (const [who, by] of Object.entries(people)) {
      const cell = `${who}, ${visibility}`
      const may = who === 'admin' || who === 'author' || lets(who, visibility)
      await expectReads(by, [path, `${path}/raw`, `${path}/files/main/a.txt/raw`], may, cell)
      await expectListed(by, '/snippets/all?per_page=100', id, may && who !== 'nobody', cell)
      await expectListed(by, '/snippets/public?per_page=100', id, visibility === 'public', cell)
      await expectListed(by, '/snippets?per_page=100', id, who === 'author', cell)
      if (!may) {
        const status = who === 'nobody' ? 401 : 404
        expect((await by.put(path, { title: 'x' })).status).toBe(status)
        expect((await by.delete(path)).status).toBe(status)
      }
    }
  }
})

test('a token without the scope reads no snippet', async () => {
  const author = await w.user()
  const { path } = await create(author, '/snippets', {
    visibility: 'public',
    title: 'Secret',
    content: 'Secret',
  })
  const { client } = await w.token(author, ['read_repository'])
  await expectReads(client, [path, `${path}/raw`, '/snippets', '/snippets/all'], false, 'read_repository')
  const { client: reader } = await w.token(author, ['read_api'])
  await expectReads(reader, [path, `${path}/raw`, '/snippets', '/snippets/all'], true, 'read_api')
  expect((await reader.put(path, { title: 'x' })).status).toBe(403)
  expect((await reader.post('/snippets', { title: 'x', content: 'x' })).status).toBe(403)
})
