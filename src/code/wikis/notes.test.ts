import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { quiet } from '#test/job-worker.ts'
import { w } from '#test/world.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { forgetPages } from './forget-pages.ts'
import { containers, on, placeWithWiki, type WithWiki, write } from './test-support.ts'

// What is special to pages of wikis; test/contract/noteables.test.ts has what all noteables have in common.

/** A page, and where its notes are. */
async function page(p: WithWiki, title = 'Some page') {
  const { wiki_page_meta_id: id, slug } = await write(p, title)
  const at = `${p.at}/wiki_pages/${id}`
  return { id, slug, at, notes: `${at}/notes` }
}

const bodies = ({ body }: { body: { body: string }[] }) => body.map((note) => note.body)
const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } })

describe.each(containers)('notes on wiki pages of %s', (container) => {
  test('collection path: wiki_page_meta_id, not the slug', async () => {
    const p = await placeWithWiki(container)
    const { slug, id, notes } = await page(p)
    const guest = on(p.guest)
    expect((await guest.get(notes)).status).toBe(200)
    for (const other of [slug, 'home', '0', '-1', `${id}x`, '9'.repeat(18), '9'.repeat(30), ' 1'])
      expect(await guest.get(`${p.at}/wiki_pages/${encodeURIComponent(other)}/notes`)).toMatchObject(
        notFound('WikiPage::Meta'),
      )
    const elsewhere = await placeWithWiki(container)
    expect(await on(elsewhere.owner).get(`${elsewhere.at}/wiki_pages/${id}/notes`)).toMatchObject(
      notFound('WikiPage::Meta'),
    )
  })

  test('fields of a note: noteable_type, noteable_iid, imported, commands_changes and type', async () => {
    const p = await placeWithWiki(container)
    const { id, notes } = await page(p)
    const { status, body } = await on(p.guest).post(notes, { body: 'Well said' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        type: null,
        body: 'Well said',
        attachment: null,
        author: expect.objectContaining({ id: p.guest.id, username: p.guest.username, state: 'active' }),
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.created_at,
        system: false,
        noteable_id: id,
        noteable_type: 'WikiPage::Meta',
        noteable_iid: null,
        project_id: container === 'projects' ? p.id : null,
        resolvable: false,
        confidential: false,
        internal: false,
        imported: false,
        imported_from: 'none',
        commands_changes: {},
      },
    ])
    expect((await on(p.guest).get(`${notes}/${body.id}`)).body).toEqual(body)
    expect((await on(p.guest).get(notes)).body).toEqual([body])
  })

  test('POST: body is required, and nothing else is taken', async () => {
    const p = await placeWithWiki(container)
    const { notes } = await page(p)
    const owner = on(p.owner)
    const missing = await owner.post(notes, {})
    expect([missing.status, missing.body.error]).toEqual([400, 'body is missing'])
    expect((await owner.post(notes, { body: '' })).status).toBe(400)
    expect((await owner.post(notes, { body: 'x'.repeat(1_000_001) })).status).toBe(400)
    const more = { internal: true, confidential: true, created_at: '2001-01-01T00:00:00Z' }
    const { body } = await owner.post(notes, { body: 'Open', ...more })
    expect(body).toMatchObject({ internal: false, confidential: false })
    expect(body.created_at).not.toContain('2001')
  })

  test('POST: quick actions are text', async () => {
    const p = await placeWithWiki(container)
    const { notes } = await page(p)
    const { status, body } = await on(p.owner).post(notes, { body: '/close' })
    expect([status, body.body, body.commands_changes]).toEqual([201, '/close', {}])
  })

  test('discussions and reactions', async () => {
    const p = await placeWithWiki(container)
    const { at } = await page(p)
    const guest = on(p.guest)
    const { body: discussion } = await guest.post(`${at}/discussions`, { body: 'Is this right?' })
    const reply = await on(p.reporter).post(`${at}/discussions/${discussion.id}/notes`, { body: 'Yes' })
    expect(reply.body).toMatchObject({ type: 'DiscussionNote', noteable_type: 'WikiPage::Meta' })
    expect((await guest.get(`${at}/discussions`)).body).toMatchObject([
      { id: discussion.id, notes: [{ body: 'Is this right?' }, { body: 'Yes' }] },
    ])
    for (const awards of [`${at}/award_emoji`, `${at}/notes/${reply.body.id}/award_emoji`]) {
      const given = await guest.post(awards, { name: 'heart' })
      expect(given.status).toBe(201)
      expect((await guest.get(awards)).body).toMatchObject([{ name: 'heart' }])
      expect((await guest.delete(`${awards}/${given.body.id}`)).status).toBe(204)
    }
  })

  test('stay with a page that moves, and are hidden while it is deleted', async () => {
    const p = await placeWithWiki(container)
    const developer = on(p.developer)
    const { slug, notes } = await page(p)
    await developer.post(notes, { body: 'Kept' })
    await developer.put(`${p.wikis}/${slug}`, { title: 'Elsewhere/b', content: 'Quite another text' })
    expect(bodies(await developer.get(notes))).toEqual(['Kept'])
    await developer.delete(`${p.wikis}/Elsewhere%2Fb`)
    expect(await developer.get(notes)).toMatchObject(notFound('WikiPage::Meta'))
    expect(await developer.post(notes, { body: 'x' })).toMatchObject(notFound('WikiPage::Meta'))
    await write(p, 'Elsewhere/b')
    expect(bodies(await developer.get(notes))).toEqual(['Kept'])
  })
})

test('tiers: a project needs no plan, a group Premium', async () => {
  const [project, group] = [await placeWithWiki('projects'), await placeWithWiki('groups')]
  const [free, paid] = [await page(project), await page(group)]
  expect((await project.guest.post(free.notes, { body: 'x' })).status).toBe(201)
  for (const path of [paid.notes, group.wikis]) {
    const { status, body } = await group.guest.get(path)
    expect([status, body.message]).toEqual([403, '403 Forbidden - Group wikis needs premium'])
  }
})

test.each(containers)(
  'a mention of an issue in a wiki of %s is noted there, for those who may read the wiki',
  async (container) => {
    const p = await placeWithWiki(container, 'public')
    const { id, notes } = await page(p)
    const project = container === 'projects' ? p : await w.project({ visibility: 'public', parent: p.id })
    const issues = `/projects/${project.id}/issues`
    const { body: issue } = await on(p.owner).post(issues, { title: 'To be mentioned' })
    await on(p.owner).post(notes, { body: `See ${project.fullPath}#${issue.iid}` })
    const seenBy = async (by: Client) => bodies(await on(by).get(`${issues}/${issue.iid}/notes`))
    const place = container === 'projects' ? '' : p.fullPath
    const noted = [`mentioned in wiki page ${place}[wiki_page:${id}]`]
    expect([await seenBy(p.guest), await seenBy(p.stranger)]).toEqual([noted, noted])
    await on(p.owner).put(p.at, { wiki_access_level: 'private' })
    expect([await seenBy(p.guest), await seenBy(p.stranger)]).toEqual([noted, []])
    await on(p.owner).put(p.at, { wiki_access_level: 'disabled' })
    expect(await seenBy(p.guest)).toEqual([])
  },
)

test('a page that was deleted a month ago is forgotten', async () => {
  const p = await placeWithWiki('projects')
  const { id, slug, notes } = await page(p)
  await p.guest.post(notes, { body: 'x' })
  await p.developer.delete(`${p.wikis}/${slug}`)
  const rows = async () =>
    (await w.db.selectFrom('notes').select('id').where('noteable_id', '=', id).execute()).length
  const forgetAfter = async (days: number) => {
    const deleted_at = new Date(w.clock.now().getTime() - days * 86_400_000).toISOString()
    await w.db.updateTable('wiki_pages').set({ deleted_at }).where('id', '=', id).execute()
    const { signal } = new AbortController()
    await forgetPages.execute({}, jobContext({ ...w.running.services, log: quiet }, { attempt: 1, signal }))
  }
  await forgetAfter(29)
  expect(await rows()).toBe(1)
  await forgetAfter(31)
  expect(await rows()).toBe(0)
  expect((await write(p, slug)).wiki_page_meta_id).not.toBe(id)
})
