import { describe, expect, test } from 'vitest'
import { bodies } from '#planning/notes/test-support.ts'
import { collideAll } from '#test/conflicts.ts'
import { w } from '#test/world.ts'
import { block, code, codeWith, suggestible, type Suggestible } from './test-support.ts'

const noteTexts = async ({ path, developer }: Suggestible) => bodies(await developer.get(`${path}/notes`))

describe('applying a suggestion', () => {
  test('makes a commit of it, resolves the thread and says so', async () => {
    const p = await suggestible()
    const { suggestion, discussion, apply } = await p.suggest(p.reporter, 3, 'better\n')
    const applied = await p.developer.put(apply)
    expect([applied.status, applied.body]).toEqual([200, { ...suggestion, applied: true, appliable: false }])
    expect(await p.fileNow()).toBe(codeWith({ 3: 'better\n' }))
    const tip = await p.tip()
    const [reporter] = await w.db.selectFrom('users').selectAll().where('id', '=', p.reporter.id).execute()
    expect(tip).toMatchObject({
      message: `Apply 1 suggestion(s) to 1 file(s)\n\nCo-authored-by: ${reporter?.name} <${reporter?.email}>`,
      author_name: p.developer.username,
      committer_name: p.developer.username,
    })
    const { body } = await p.developer.get(discussion)
    expect(body.notes[0]).toMatchObject({ resolved: true, resolved_by: { id: p.developer.id } })
    expect(body.notes[0].suggestions).toEqual([applied.body])
    expect(await noteTexts(p)).toContain('applied 1 suggestion(s) to 1 file(s)')
    expect((await p.developer.get(p.path)).body.sha).toBe(tip.id)
    const again = await p.developer.put(apply)
    expect([again.status, again.body.message]).toEqual([
      400,
      'A suggestion cannot be applied: it was applied already.',
    ])
  })

  test('removes lines, adds some, and keeps the ends of lines', async () => {
    const p = await suggestible()
    const two = await p.reporter.post(p.discussions, { body: block('', ':-1+1'), ...p.on(2) })
    expect((await p.developer.put(`/suggestions/${two.body.notes[0].suggestions[0].id}/apply`)).status).toBe(
      200,
    )
    expect(await p.fileNow()).toBe(code().slice('line 1\nline 2\nline 3\n'.length))
    await p.commit({ 'code.txt': 'a\r\nb\r\nlast' })
    const { diff_refs } = (await p.developer.get(p.path)).body
    const middle = await p.suggest(p.developer, 2, 'x\ny\n', diff_refs)
    expect(middle.suggestion).toMatchObject({ from_content: 'b\r\n', to_content: 'x\r\ny\r\n' })
    expect((await p.developer.put(middle.apply)).status).toBe(200)
    expect(await p.fileNow()).toBe('a\r\nx\r\ny\r\nlast')
    expect((await p.tip()).message).toBe('Apply 1 suggestion(s) to 1 file(s)')
  })

  test('takes the message of the caller, or that of the project', async () => {
    const p = await suggestible()
    const names =
      'branch_name files_count file_path file_paths project_name project_path suggestions_count username'
    const template = names
      .split(' ')
      .map((name) => `%{${name}}`)
      .join(' ')
    await p.owner.put(`/projects/${p.id}`, { suggestion_commit_message: `${template} %{unknown}` })
    const first = await p.suggest(p.reporter, 3, 'better\n')
    await p.developer.put(first.apply)
    const { name } = (await p.developer.get(`/projects/${p.id}`)).body
    expect((await p.tip()).message).toBe(
      `feature 1 code.txt code.txt ${name} ${p.fullPath} 1 ${p.developer.username} %{unknown}`,
    )
    const second = await p.suggest(p.reporter, 5, 'fine\n')
    await p.developer.put(second.apply, { commit_message: 'By %{user_full_name}' })
    expect((await p.tip()).message).toBe(`By ${p.developer.username}`)
  })

  test('is for those who may push to the source branch', async () => {
    const p = await suggestible({ visibility: 'public' })
    const { apply, discussion } = await p.suggest(p.reporter, 3, 'better\n')
    for (const who of [p.guest, p.planner, p.reporter, p.stranger])
      expect((await who.put(apply)).status).toBe(403)
    expect((await p.anonymous.put(apply)).status).toBe(401)
    await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'feature', push_access_level: 40 })
    expect((await p.developer.put(apply)).status).toBe(403)
    expect(await p.suggestionsOf(discussion)).toMatchObject([{ applied: false }])
    expect((await p.maintainer.put(apply)).status).toBe(200)
  })

  test('is not found by those who may not read the note', async () => {
    const p = await suggestible()
    const { apply } = await p.suggest(p.reporter, 3, 'better\n')
    expect(await p.stranger.put(apply)).toMatchObject({
      status: 404,
      body: { message: '404 Suggestion Not Found' },
    })
    expect((await p.developer.put('/suggestions/2147483647/apply')).status).toBe(404)
    expect((await p.developer.put('/suggestions/x/apply')).status).toBe(400)
    expect((await p.developer.put(apply, { commit_message: 'x'.repeat(100_001) })).status).toBe(400)
    await p.owner.post(`/projects/${p.id}/archive`)
    expect((await p.developer.put(apply)).status).toBe(403)
  })

  test('of an internal note is not found by those who may not read it', async () => {
    const p = await suggestible({ visibility: 'public' })
    const { note, apply } = await p.suggest(p.reporter, 3, 'better\n')
    await w.db.updateTable('notes').set({ internal: true }).where('id', '=', note.id).execute()
    expect([(await p.stranger.put(apply)).status, (await p.reporter.put(apply)).status]).toEqual([404, 403])
    expect((await p.developer.put(apply)).status).toBe(200)
  })

  test('is refused when it changes nothing', async () => {
    const p = await suggestible()
    const { apply, suggestion } = await p.suggest(p.reporter, 3, 'line 3\n')
    expect(suggestion.appliable).toBe(false)
    expect((await p.developer.put(apply)).body.message).toBe(
      'A suggestion cannot be applied: it changes nothing.',
    )
  })

  test('happens once when several people apply it at once', async () => {
    const p = await suggestible()
    // The line is still there afterwards, so nothing but the mark tells that it was applied.
    const { apply } = await p.suggest(p.reporter, 3, 'line 3\nmore\n')
    const verb = () => p.developer.put(apply)
    const answers = await collideAll([verb, () => p.maintainer.put(apply), verb, verb] as const)
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses[0]).toBe(200)
    for (const status of statuses.slice(1)) expect([400, 409]).toContain(status)
    expect(await p.fileNow()).toBe(codeWith({ 3: 'line 3\nmore\n' }))
  })

  test('meets a change and the end of its note', async () => {
    for (const other of ['put', 'delete'] as const) {
      const p = await suggestible()
      const { apply, note } = await p.suggest(p.reporter, 3, 'better\n')
      const change = () => p.reporter[other](`${p.path}/notes/${note.id}`, { body: block('other\n') })
      const [one, second] = await collideAll([() => p.developer.put(apply), change] as const)
      expect([200, 404, 409]).toContain(one.status)
      expect(second.status).toBe(other === 'put' ? 200 : 204)
      expect(await p.fileNow()).toBe(one.status === 200 ? codeWith({ 3: 'better\n' }) : code())
    }
  })

  test('stays applied when the words around it are changed, and goes with its block', async () => {
    const p = await suggestible()
    const { apply, id, note } = await p.suggest(p.reporter, 3, 'better\n')
    await p.developer.put(apply)
    const change = async (body: string) =>
      (await p.reporter.put(`${p.path}/notes/${note.id}`, { body })).body.suggestions
    expect(await change(`Thanks\n\n${block('better\n')}`)).toMatchObject([{ id, applied: true }])
    expect(await change('Thanks')).toEqual([])
  })

  test('meets a push: one of them has to look again', async () => {
    const p = await suggestible()
    const { apply } = await p.suggest(p.reporter, 3, 'better\n')
    const commit = () =>
      p.maintainer.post(`/projects/${p.id}/repository/commits`, {
        branch: 'feature',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: 'new.txt', content: 'x' }],
      })
    const [one, other] = await collideAll([() => p.developer.put(apply), commit] as const)
    expect([200, 409]).toContain(one.status)
    expect([201, 409]).toContain(other.status)
    expect(await p.fileNow()).toBe(one.status === 200 ? codeWith({ 3: 'better\n' }) : code())
  })
})

describe('applying several', () => {
  const apply = (p: Suggestible, ids: unknown[], more: object = {}) =>
    p.developer.put('/suggestions/batch_apply', { ids, ...more })

  test('makes one commit of them', async () => {
    const p = await suggestible()
    const a = await p.suggest(p.reporter, 3, 'three\nand more\n')
    const b = await p.suggest(p.maintainer, 7, '')
    const c = await p.suggest(p.developer, 1, 'other\n', { new_path: 'more.txt', old_path: 'more.txt' })
    const before = (await p.tip()).id
    const applied = await apply(p, [b.id, a.id, c.id, a.id])
    expect([applied.status, applied.body]).toMatchObject([
      200,
      [
        { id: b.id, applied: true },
        { id: a.id, applied: true },
        { id: c.id, applied: true },
      ],
    ])
    expect(await p.fileNow()).toBe(codeWith({ 3: 'three\nand more\n', 7: '' }))
    expect(await p.fileNow('more.txt')).toBe(codeWith({ 1: 'other\n' }))
    const tip = await p.tip()
    expect(tip.parent_ids).toEqual([before])
    expect(tip.message).toMatch(/^Apply 3 suggestion\(s\) to 2 file\(s\)\n\n(Co-authored-by: .*\n?){2}$/)
    expect(await noteTexts(p)).toContain('applied 3 suggestion(s) to 2 file(s)')
    for (const { discussion } of [a, b, c])
      expect((await p.developer.get(discussion)).body.notes[0].resolved).toBe(true)
  })

  test('is all or nothing', async () => {
    const p = await suggestible()
    const a = await p.suggest(p.reporter, 3, 'three\n')
    const over = await p.reporter.post(p.discussions, { body: block('x\n', ':-2+0'), ...p.on(4) })
    const overlapping = over.body.notes[0].suggestions[0].id
    const old = await p.suggest(p.reporter, 9, 'nine\n')
    await p.commit({ 'code.txt': code().replace('line 9', 'changed') })
    const other = await suggestible()
    const foreign = await other.suggest(other.reporter, 1, 'x\n')
    await w.member(other.namespaceId, p.developer, 30)
    const refused = async (ids: unknown[]) => {
      const { status, body } = await apply(p, ids)
      return [status, body.message]
    }
    expect(await refused([a.id, overlapping])).toEqual([
      400,
      'The suggestions cannot be applied together: their lines overlap.',
    ])
    expect(await refused([a.id, old.id])).toEqual([
      400,
      'A suggestion cannot be applied: its lines have changed since it was made.',
    ])
    expect(await refused([a.id, foreign.id])).toEqual([400, 'The suggestions are of several merge requests.'])
    expect(await refused([a.id, 2_147_483_647])).toEqual([404, '404 Suggestion Not Found'])
    expect((await apply(p, [])).status).toBe(400)
    expect(
      (
        await apply(
          p,
          Array.from({ length: 101 }, (_, index) => index + 1),
        )
      ).status,
    ).toBe(400)
    expect((await p.developer.put('/suggestions/batch_apply')).status).toBe(400)
    expect(await p.fileNow()).toBe(code().replace('line 9', 'changed'))
  })
})

test('suggestions for a fork are applied there', async () => {
  const p = await suggestible({ visibility: 'public' })
  const fork = await suggestible({ visibility: 'public' })
  const created_at = new Date().toISOString()
  await w.db
    .insertInto('project_forks')
    .values({ project_id: fork.id, source_id: p.id, state: 'finished', created_at })
    .execute()
  await w.member(p.namespaceId, fork.developer, 20)
  const made = await fork.developer.post(`/projects/${fork.id}/merge_requests`, {
    title: 'x',
    source_branch: 'feature',
    target_branch: 'main',
    target_project_id: p.id,
  })
  expect(made.status).toBe(201)
  const mr = `/projects/${p.id}/merge_requests/${made.body.iid}`
  const started = await p.developer.post(`${mr}/discussions`, {
    body: block('forked\n'),
    ...p.on(3, made.body.diff_refs),
  })
  const { id } = started.body.notes[0].suggestions[0]
  expect((await p.developer.put(`/suggestions/${id}/apply`)).status).toBe(403)
  expect((await fork.developer.put(`/suggestions/${id}/apply`)).status).toBe(200)
  expect(await fork.fileNow()).toBe(codeWith({ 3: 'forked\n' }))
  const read = await p.developer.get(`${mr}/discussions/${started.body.id}`)
  expect(read.body.notes[0].suggestions).toMatchObject([{ applied: true }])
})
