import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { countFor, withIssue } from '#planning/notes/test-support.ts'
import { linkTo } from '#test/client.ts'
import { w } from '#test/world.ts'

interface Discussion {
  id: string
  individual_note: boolean
  notes: { id: number; body: string }[]
}
const said = ({ notes }: Discussion) => notes.map(({ body }) => body)

/** An issue with a discussion of two notes: one by the guest, a reply by the developer. */
async function withThread(asked: object = {}) {
  const p = await withIssue({ visibility: 'public' })
  const { body: started } = await p.planner.post(p.discussions, { body: 'one', ...asked })
  const path = `${p.discussions}/${started.id}`
  const { body: reply } = await p.developer.post(`${path}/notes`, { body: 'two' })
  return { ...p, thread: path, started, reply }
}

describe('GET …/discussions?with_reactions=true', () => {
  test('counts the reactions to each note, and names the first who reacted', async () => {
    const p = await withThread()
    const [first] = p.started.notes
    for (const who of [p.developer, p.guest])
      await who.post(`${p.path}/${first.id}/award_emoji`, { name: 'tada' })
    await p.guest.post(`${p.path}/${first.id}/award_emoji`, { name: 'eyes' })
    const { body } = await p.guest.get(`${p.discussions}?with_reactions=true`)
    const [one, reply] = body[0].notes
    expect(one.reactions).toEqual([
      { name: 'tada', count: 2, usernames: [p.developer.username, p.guest.username] },
      { name: 'eyes', count: 1, usernames: [p.guest.username] },
    ])
    expect(reply.reactions).toEqual([])
    const unasked = await p.guest.get(p.discussions)
    expect(unasked.body[0].notes[0]).not.toHaveProperty('reactions')
  })
})

describe('POST …/discussions', () => {
  test('starts one', async () => {
    const p = await withIssue()
    const { status, body } = await p.guest.post(p.discussions, { body: 'one' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      individual_note: false,
      notes: [expect.objectContaining({ type: 'DiscussionNote', body: 'one', author: expect.anything() })],
    })
    expect((await p.guest.get(`${p.discussions}/${body.id}`)).body).toEqual(body)
    expect((await p.guest.get(`${p.path}/${body.notes[0].id}`)).body).toEqual(body.notes[0])
    expect(await countFor(p.guest, p)).toBe(1)
  })

  test('needs a body, and takes the time from those entitled', async () => {
    const p = await withIssue()
    expect((await p.guest.post(p.discussions, {})).body.error).toBe('body is missing')
    expect((await p.guest.post(p.discussions, { body: ' ' })).status).toBe(400)
    const created_at = '2001-01-01T00:00:00.000Z'
    expect((await p.owner.post(p.discussions, { body: 'x', created_at })).body.notes[0].created_at).toBe(
      created_at,
    )
  })
})

describe('POST …/discussions/:discussion_id/notes', () => {
  test('replies', async () => {
    const p = await withThread()
    expect(p.reply).toMatchObject({ type: 'DiscussionNote', body: 'two', internal: false })
    const { body } = await p.guest.get(p.thread)
    expect([said(body), body.individual_note]).toEqual([['one', 'two'], false])
    expect(await countFor(p.guest, p)).toBe(2)
  })

  test('makes a thread of a note that stood alone', async () => {
    const p = await withIssue()
    const { body: note } = await p.guest.post(p.path, { body: 'alone' })
    const [discussion] = (await p.guest.get(p.discussions)).body
    expect([discussion.individual_note, discussion.notes[0].type]).toEqual([true, null])
    const replies = `${p.discussions}/${discussion.id}/notes`
    expect((await p.planner.post(replies, { body: 'no more' })).status).toBe(201)
    const { body } = await p.guest.get(`${p.discussions}/${discussion.id}`)
    expect([said(body), body.individual_note]).toEqual([['alone', 'no more'], false])
    expect((await p.guest.get(`${p.path}/${note.id}`)).body.type).toBe('DiscussionNote')
  })

  test('stands behind what it replies to, whatever its time', async () => {
    const p = await withThread()
    await p.owner.post(`${p.thread}/notes`, { body: 'long ago', created_at: '2001-01-01' })
    expect(said((await p.guest.get(p.thread)).body)).toEqual(['one', 'long ago', 'two'])
  })

  test('is refused with 400 on what the system recorded', async () => {
    const p = await withIssue()
    await p.planner.put(p.issuePath, { title: 'New' })
    const [record] = (await p.guest.get(p.discussions)).body
    expect(record).toMatchObject({ individual_note: true, notes: [{ system: true }] })
    expect((await p.guest.post(`${p.discussions}/${record.id}/notes`, { body: 'x' })).status).toBe(400)
  })

  test('404 Discussion Not Found: unknown ids, what is no id, those of other issues', async () => {
    const [p, other] = [await withThread(), await withThread()]
    const wrong = ['x', '0'.repeat(40), 'z'.repeat(40), '0'.repeat(39), other.started.id, '%00']
    for (const id of wrong) {
      const expected = [404, '404 Discussion Not Found']
      const answers = [
        await p.owner.get(`${p.discussions}/${id}`),
        await p.owner.get(`${p.discussions}/${id}/notes`),
        await p.owner.post(`${p.discussions}/${id}/notes`, { body: 'x' }),
        await p.owner.put(`${p.discussions}/${id}/notes/${p.reply.id}`, { body: 'x' }),
        await p.owner.delete(`${p.discussions}/${id}/notes/${p.reply.id}`),
      ]
      if (id === '%00') expect(answers.every(({ status }) => status === 400 || status === 404)).toBe(true)
      else
        expect(answers.map(({ status, body }) => [status, body.message])).toEqual(answers.map(() => expected))
    }
    const missing = `/projects/${p.id}/issues/99/discussions`
    expect((await p.owner.get(missing)).body.message).toBe('404 Issue Not Found')
  })
})

describe('the notes in a discussion', () => {
  test('are listed and found there, and only those of it', async () => {
    const p = await withThread()
    const { body: alone } = await p.guest.post(p.path, { body: 'alone' })
    expect(said({ ...p.started, notes: (await p.guest.get(`${p.thread}/notes`)).body })).toEqual([
      'one',
      'two',
    ])
    expect((await p.guest.get(`${p.thread}/notes/${p.reply.id}`)).body).toEqual(
      (await p.guest.get(`${p.path}/${p.reply.id}`)).body,
    )
    for (const id of [alone.id, 999_999_999]) {
      const path = `${p.thread}/notes/${id}`
      expect((await p.owner.get(path)).body.message).toBe('404 Note Not Found')
      expect((await p.owner.put(path, { body: 'x' })).body.message).toBe('404 Note Not Found')
      expect((await p.owner.delete(path)).body.message).toBe('404 Note Not Found')
    }
  })

  test('are changed and deleted by their author and from Maintainer up', async () => {
    const p = await withThread()
    const path = `${p.thread}/notes/${p.reply.id}`
    expect((await p.planner.put(path, { body: 'x' })).status).toBe(403)
    expect((await p.developer.put(path, { body: 'too' })).body.body).toBe('too')
    expect((await p.planner.delete(path)).status).toBe(403)
    expect((await p.maintainer.delete(path)).status).toBe(204)
    expect(said((await p.guest.get(p.thread)).body)).toEqual(['one'])
    expect(await countFor(p.guest, p)).toBe(1)
  })

  test('when the first is deleted, the next takes its place', async () => {
    const p = await withThread()
    await p.developer.post(`${p.thread}/notes`, { body: 'three' })
    expect((await p.planner.delete(`${p.thread}/notes/${p.started.notes[0].id}`)).status).toBe(204)
    expect(said((await p.guest.get(p.thread)).body)).toEqual(['two', 'three'])
    expect((await p.guest.get(p.discussions)).headers.get('x-total')).toBe('1')
    for (const { id } of (await p.guest.get(`${p.thread}/notes`)).body)
      await p.owner.delete(`${p.path}/${id}`)
    expect((await p.guest.get(p.thread)).body.message).toBe('404 Discussion Not Found')
    expect((await p.guest.get(p.discussions)).body).toEqual([])
  })

  test('have the same readers: one by itself cannot become internal', async () => {
    const p = await withThread()
    const { status, body } = await p.developer.put(`${p.thread}/notes/${p.reply.id}`, { confidential: true })
    expect([status, body.message]).toEqual([400, { confidential: ['cannot differ within a discussion'] }])
  })
})

describe('an internal discussion', () => {
  test('has internal replies, and is not there for those who may not see it', async () => {
    const p = await withThread({ internal: true })
    expect(p.reply.internal).toBe(true)
    for (const who of [p.guest, p.stranger]) {
      expect((await who.get(p.thread)).body.message).toBe('404 Discussion Not Found')
      const list = await who.get(p.discussions)
      expect([list.body, list.headers.get('x-total')]).toEqual([[], '0'])
      expect((await who.get(`${p.thread}/notes`)).status).toBe(404)
    }
    const answer = await p.guest.post(`${p.thread}/notes`, { body: 'x' })
    expect(answer.body.message).toBe('404 Discussion Not Found')
    expect(said((await p.reporter.get(p.thread)).body)).toEqual(['one', 'two'])
  })

  test('takes no reply from an author who is a guest by now, and shows them their part', async () => {
    const p = await withThread({ internal: true })
    await w.db
      .updateTable('members')
      .set({ access_level: levels.guest })
      .where('namespace_id', '=', p.namespaceId)
      .where('user_id', 'in', [p.planner.id, p.developer.id])
      .execute()
    expect(said((await p.planner.get(p.thread)).body)).toEqual(['one'])
    expect((await p.planner.post(`${p.thread}/notes`, { body: 'x' })).status).toBe(403)
    expect((await p.developer.get(p.thread)).status).toBe(404)
  })
})

describe('GET …/discussions', () => {
  test('lists them as they were started, each with its notes, in four statements', async () => {
    const p = await withThread()
    await p.guest.post(p.path, { body: 'alone' })
    await p.planner.put(p.issuePath, { title: 'New' })
    const { body: last } = await p.guest.post(p.discussions, { body: 'last' })
    await p.guest.post(`${p.thread}/notes`, { body: 'three' })
    const statements = await w.statements(async () => {
      const answer = await p.guest.get(p.discussions)
      expect(answer.body.map(said)).toEqual([
        ['one', 'two', 'three'],
        ['alone'],
        ['changed title from **It breaks** to **New**'],
        ['last'],
      ])
      expect(answer.body.at(-1).id).toBe(last.id)
      expect(answer.headers.get('x-total')).toBe('4')
    })
    expect(statements).toHaveLength(3)
  })

  test('pages over discussions', async () => {
    const p = await withIssue()
    for (let count = 1; count <= 5; count += 1) {
      const { body } = await p.planner.post(p.discussions, { body: `${count}` })
      await p.planner.post(`${p.discussions}/${body.id}/notes`, { body: `to ${count}` })
    }
    const pages: string[][] = []
    let url: string | undefined = `${p.discussions}?per_page=2`
    while (url !== undefined) {
      const answer = await p.guest.get(url)
      pages.push(answer.body.flatMap(said))
      expect(answer.headers.get('x-total')).toBe('5')
      url = linkTo('next', answer)
    }
    expect(pages).toEqual([
      ['1', 'to 1', '2', 'to 2'],
      ['3', 'to 3', '4', 'to 4'],
      ['5', 'to 5'],
    ])
  })
})
