import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { snippetRow } from '#test/snippets.ts'
import { w } from '#test/world.ts'

// What is special to snippets; test/contract/noteables.test.ts has what all noteables have in common.

/** A snippet of a project, and where its notes are. */
async function snippetOf(p: Parameters<typeof snippetRow>[0]) {
  const at = await snippetRow(p, 'private')
  return { at, id: Number(at.split('/').at(-1)), notes: `${at}/notes` }
}

const bodies = ({ body }: { body: { body: string }[] }) => body.map((note) => note.body)
const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } })

describe('notes on snippets', () => {
  test('collection path: snippet_id, of snippets of the project, not of persons', async () => {
    const p = await w.project()
    const { notes } = await snippetOf(p)
    expect((await p.guest.get(notes)).status).toBe(200)
    const elsewhere = await snippetOf(await w.project())
    const personal = await p.guest.post('/snippets', { title: 'x', content: 'x', visibility: 'public' })
    for (const id of [elsewhere.id, personal.body.id, 999_999_999])
      expect(await p.guest.get(`/projects/${p.id}/snippets/${id}/notes`)).toMatchObject(notFound('Snippet'))
    expect((await p.guest.get(`/snippets/${personal.body.id}/notes`)).status).toBe(404)
    expect((await p.guest.get(`/projects/${p.id}/snippets/x/notes`)).status).toBe(400)
  })

  test('fields of a note: noteable_iid is null, project_id is the project', async () => {
    const p = await w.project()
    const { id, notes } = await snippetOf(p)
    const { status, body } = await p.guest.post(notes, { body: 'Well said' })
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
        noteable_type: 'Snippet',
        noteable_iid: null,
        project_id: p.id,
        resolvable: false,
        confidential: false,
        internal: false,
        imported: false,
        imported_from: 'none',
        commands_changes: {},
      },
    ])
    expect((await p.guest.get(`${notes}/${body.id}`)).body).toEqual(body)
    expect((await p.guest.get(notes)).body).toEqual([body])
  })

  test('POST: body is required; there are no internal notes', async () => {
    const p = await w.project()
    const { notes } = await snippetOf(p)
    const missing = await p.owner.post(notes, {})
    expect([missing.status, missing.body.error]).toEqual([400, 'body is missing'])
    expect((await p.owner.post(notes, { body: '' })).status).toBe(400)
    expect((await p.owner.post(notes, { body: 'x'.repeat(1_000_001) })).status).toBe(400)
    const { body } = await p.owner.post(notes, { body: 'Open', internal: true, confidential: true })
    expect(body).toMatchObject({ internal: false, confidential: false })
  })

  test('POST: quick actions are text', async () => {
    const p = await w.project()
    const { notes } = await snippetOf(p)
    const { status, body } = await p.owner.post(notes, { body: '/close' })
    expect([status, body.body, body.commands_changes]).toEqual([201, '/close', {}])
  })

  test('discussions and reactions', async () => {
    const p = await w.project()
    const { at } = await snippetOf(p)
    const { body: discussion } = await p.guest.post(`${at}/discussions`, { body: 'Is this right?' })
    const reply = await p.reporter.post(`${at}/discussions/${discussion.id}/notes`, { body: 'Yes' })
    expect(reply.body).toMatchObject({ type: 'DiscussionNote', noteable_type: 'Snippet' })
    expect((await p.guest.get(`${at}/discussions`)).body).toMatchObject([
      { id: discussion.id, notes: [{ body: 'Is this right?' }, { body: 'Yes' }] },
    ])
    for (const awards of [`${at}/award_emoji`, `${at}/notes/${reply.body.id}/award_emoji`]) {
      const given = await p.guest.post(awards, { name: 'heart' })
      expect(given.status).toBe(201)
      expect((await p.guest.get(awards)).body).toMatchObject([{ name: 'heart' }])
      expect((await p.guest.delete(`${awards}/${given.body.id}`)).status).toBe(204)
    }
  })

  test('are gone with the snippet, and move its updated_at', async () => {
    const p = await w.project()
    const { at, notes } = await snippetOf(p)
    const before = (await p.owner.get(at)).body.updated_at
    const { body: note } = await p.guest.post(notes, { body: 'Well said' })
    const after = (await p.owner.get(at)).body.updated_at
    expect([after >= before, after]).toEqual([true, note.created_at])
    await p.owner.delete(at)
    for (const path of [notes, `${notes}/${note.id}`, `${at}/discussions`, `${at}/award_emoji`])
      expect(await p.owner.get(path)).toMatchObject(notFound('Snippet'))
    expect(await p.owner.post(notes, { body: 'x' })).toMatchObject(notFound('Snippet'))
  })
})

describe('mentions', () => {
  test('$5 is noted on the snippet, and a snippet that mentions an issue on the issue', async () => {
    const p = await w.project({ visibility: 'public' })
    const { at, id, notes } = await snippetOf(p)
    const issues = `/projects/${p.id}/issues`
    const { body: issue } = await p.owner.post(issues, { title: 'To be mentioned' })
    await p.owner.post(`${issues}/${issue.iid}/notes`, { body: `As in $${id}` })
    expect(bodies(await p.guest.get(notes))).toEqual([`mentioned in issue #${issue.iid}`])
    await p.owner.post(notes, { body: `See #${issue.iid}` })
    const seenBy = async (by: Client) =>
      bodies(await by.get(`${issues}/${issue.iid}/notes?activity_filter=only_activity`))
    expect(await seenBy(p.guest)).toEqual([`mentioned in snippet $${id}`])
    // Others do not learn that there is a private snippet.
    expect(await seenBy(p.stranger)).toEqual([])
    await p.owner.put(at, { visibility: 'public' })
    expect(await seenBy(p.stranger)).toEqual([`mentioned in snippet $${id}`])
    await p.owner.put(`/projects/${p.id}`, { snippets_access_level: 'private' })
    expect(await seenBy(p.stranger)).toEqual([])
  })

  test('in the text of a new or changed snippet, and across projects', async () => {
    const p = await w.project()
    const other = await w.project()
    await w.member(other.namespaceId, p.developer, 30)
    const { body: issue } = await p.developer.post(`/projects/${p.id}/issues`, { title: 'x' })
    const make = async (more: object) =>
      (
        await p.developer.post(`/projects/${other.id}/snippets`, {
          title: 'x',
          visibility: 'private',
          content: 'x',
          ...more,
        })
      ).body.id
    const first = await make({ description: `For ${p.fullPath}#${issue.iid} and @${p.guest.username}` })
    const second = await make({})
    await p.developer.put(`/projects/${other.id}/snippets/${second}`, {
      title: `For ${p.fullPath}#${issue.iid}`,
    })
    const path = `/projects/${p.id}/issues/${issue.iid}/notes`
    expect(bodies(await p.developer.get(path))).toEqual(
      [second, first].map((id) => `mentioned in snippet ${other.fullPath}$${id}`),
    )
    expect(bodies(await p.guest.get(path))).toEqual([])
    await p.developer.post(`/projects/${p.id}/issues/${issue.iid}/notes`, {
      body: `${other.fullPath}$${second}`,
    })
    expect(bodies(await p.developer.get(`/projects/${other.id}/snippets/${second}/notes`))).toEqual([
      `mentioned in issue ${p.fullPath}#${issue.iid}`,
    ])
  })

  test('of a snippet that the writer may not see leave no trace', async () => {
    const p = await w.project({ visibility: 'public' })
    const { id, notes } = await snippetOf(p)
    const { body: issue } = await p.stranger.post(`/projects/${p.id}/issues`, { title: `About $${id}` })
    expect(issue.iid).toBe(1)
    expect((await p.owner.get(notes)).body).toEqual([])
  })
})
