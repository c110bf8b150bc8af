import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { block, code, suggestible, TEN } from './test-support.ts'

describe('suggestions of a note', () => {
  test('have every field, wherever the note is read', async () => {
    const p = await suggestible()
    const { note, discussion } = await p.suggest(p.reporter, 3, 'better\n')
    const expected = [
      {
        id: expect.any(Number),
        from_line: 3,
        to_line: 3,
        appliable: true,
        applied: false,
        from_content: 'line 3\n',
        to_content: 'better\n',
      },
    ]
    expect(note.suggestions).toEqual(expected)
    const read = async (path: string) => (await p.developer.get(path)).body
    expect((await read(discussion)).notes[0].suggestions).toEqual(expected)
    expect((await read(`${p.path}/notes/${note.id}`)).suggestions).toEqual(expected)
    expect((await read(`${p.path}/notes`)).at(-1).suggestions).toEqual(expected)
    expect((await read(p.discussions)).at(-1).notes[0].suggestions).toEqual(expected)
  })

  test('take lines above and below, as far as the file has them', async () => {
    const p = await suggestible()
    const lines = async (line: number, around: string) => {
      const { body } = await p.reporter.post(p.discussions, { body: block('x\n', around), ...p.on(line) })
      const [{ from_line, to_line, from_content }] = body.notes[0].suggestions
      return [from_line, to_line, from_content]
    }
    expect(await lines(5, ':-1+2')).toEqual([4, 7, code(TEN.slice(3, 7))])
    expect(await lines(2, ':-100+999')).toEqual([1, 10, code()])
    expect(await lines(10, ':-0+0')).toEqual([10, 10, 'line 10\n'])
  })

  test('are several, of replies, of changed notes and of published drafts', async () => {
    const p = await suggestible()
    const { body } = await p.reporter.post(p.discussions, {
      body: `Or:\n\n${block('one\n')}\n\n~~~~suggestion\n\`\`\`\n~~~~\r\n`,
      ...p.on(1),
    })
    const [note] = body.notes
    const texts = (one: { suggestions: { to_content: string }[] }) =>
      one.suggestions.map(({ to_content }) => to_content)
    expect(texts(note)).toEqual(['one\n', '```\n'])
    const reply = await p.reporter.post(`${p.discussions}/${body.id}/notes`, { body: block('') })
    expect(texts(reply.body)).toEqual([''])
    const changed = await p.reporter.put(`${p.path}/notes/${note.id}`, { body: block('two\n') })
    expect(texts(changed.body)).toEqual(['two\n'])
    const again = await p.reporter.put(`${p.discussions}/${body.id}/notes/${note.id}`, { body: 'None' })
    expect(texts(again.body)).toEqual([])
    await p.reporter.post(`${p.path}/draft_notes`, { note: block('draft\n'), ...p.on(2) })
    const in_reply_to_discussion_id = body.id
    await p.reporter.post(`${p.path}/draft_notes`, { note: block('reply\n'), in_reply_to_discussion_id })
    await p.reporter.post(`${p.path}/draft_notes/bulk_publish`)
    expect(
      (await p.suggestionsOf(`${p.discussions}/${body.id}`)).map(
        ({ to_content }: { to_content: string }) => to_content,
      ),
    ).toEqual(['', 'reply\n'])
    const last = (await p.developer.get(p.discussions)).body.at(-1)
    expect(texts(last.notes[0])).toEqual(['draft\n'])
  })

  test.each([
    ['on no line', 'x', {}],
    ['in a longer fence', '````\n```suggestion\nx\n```\n````', undefined],
    ['with another word', '```suggestions\nx\n```', undefined],
    ['with words after it', '```suggestion please\nx\n```', undefined],
  ])('are none %s', async (_, body, position) => {
    const p = await suggestible()
    const made = await p.reporter.post(p.discussions, { body, ...(position ?? p.on(1)) })
    expect(made.status).toBe(201)
    expect(made.body.notes[0].suggestions ?? []).toEqual([])
    if (position !== undefined) expect(made.body.notes[0]).not.toHaveProperty('suggestions')
  })

  test('are none on a removed line, on a file as a whole, and on what is no text', async () => {
    const p = await suggestible()
    await p.commit({ 'latin.txt': Buffer.from([0x61, 0xe9, 0x0a]).toString('base64') }, 'create', 'base64')
    const { diff_refs } = (await p.developer.get(p.path)).body
    const suggested = async (position: object) => {
      const asked = { body: block('x\n'), position: { ...diff_refs, position_type: 'text', ...position } }
      const { status, body } = await p.reporter.post(p.discussions, asked)
      return [status, body.notes[0].suggestions]
    }
    const none = [201, []]
    const at = (path: string) => ({ new_path: path, old_path: path })
    expect(await suggested({ ...at('a.txt'), old_line: 2 })).toEqual(none)
    expect(await suggested({ ...at('code.txt'), position_type: 'file' })).toEqual(none)
    expect(await suggested({ ...at('latin.txt'), new_line: 1 })).toEqual(none)
  })

  test('of a note are bounded, and the rest stays text', async () => {
    const p = await suggestible()
    const { note } = await p.suggest(p.reporter, 1, 'x\n', {})
    const many = Array.from({ length: 21 }, (_, index) => block(`${index}\n`)).join('\n\n')
    const { body } = await p.reporter.put(`${p.path}/notes/${note.id}`, { body: many })
    expect(body.suggestions).toHaveLength(20)
    expect(body.body).toBe(many)
    await p.commit({ 'code.txt': `${'x'.repeat(32_769)}\n${code()}` })
    const { diff_refs } = (await p.developer.get(p.path)).body
    const long = await p.reporter.post(p.discussions, { body: block('x\n'), ...p.on(1, diff_refs) })
    expect([long.status, long.body.notes[0].suggestions]).toEqual([201, []])
  })

  test('go with the note', async () => {
    const p = await suggestible()
    const { note, apply } = await p.suggest(p.reporter, 1, 'x\n')
    expect((await p.reporter.delete(`${p.path}/notes/${note.id}`)).status).toBe(204)
    expect((await p.developer.put(apply)).status).toBe(404)
    const left = await w.db.selectFrom('suggestions').select('id').where('note_id', '=', note.id).execute()
    expect(left).toEqual([])
  })
})

describe('after a push', () => {
  test('suggestions follow their lines', async () => {
    const p = await suggestible()
    const { discussion } = await p.suggest(p.reporter, 3, 'better\n')
    await p.commit({ 'code.txt': `new\nnew\n${code()}` })
    expect(await p.suggestionsOf(discussion)).toMatchObject([{ from_line: 5, to_line: 5, appliable: true }])
    const { suggestion } = await p.suggest(p.reporter, 4, 'on the old version\n')
    expect(suggestion).toMatchObject({ from_line: 6, from_content: 'line 4\n', appliable: true })
  })

  test('those whose lines have changed cannot be applied, until the lines are back', async () => {
    const p = await suggestible()
    const { discussion, apply } = await p.suggest(p.reporter, 3, 'better\n')
    await p.commit({ 'code.txt': code().replace('line 3', 'changed') })
    expect(await p.suggestionsOf(discussion)).toMatchObject([{ appliable: false, applied: false }])
    const refused = await p.developer.put(apply)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'A suggestion cannot be applied: its lines have changed since it was made.',
    ])
    await p.commit({ 'code.txt': code() })
    expect(await p.suggestionsOf(discussion)).toMatchObject([{ from_line: 3, appliable: true }])
  })

  test('none can be applied without the source branch or after the end of the merge request', async () => {
    const p = await suggestible()
    const { discussion, apply } = await p.suggest(p.reporter, 3, 'better\n')
    const appliable = async () => (await p.suggestionsOf(discussion))[0].appliable
    const tip = (await p.tip()).id
    await p.owner.put(p.path, { state_event: 'close' })
    expect([await appliable(), (await p.developer.put(apply)).body.message]).toEqual([
      false,
      'A suggestion cannot be applied: the merge request is closed.',
    ])
    await p.owner.put(p.path, { state_event: 'reopen' })
    const branches = `/projects/${p.id}/repository/branches`
    await p.owner.delete(`${branches}/feature`)
    expect([await appliable(), (await p.developer.put(apply)).body.message]).toEqual([
      false,
      'A suggestion cannot be applied: the source branch is gone.',
    ])
    await p.owner.post(branches, { branch: 'feature', ref: tip })
    expect(await appliable()).toBe(true)
  })
})
