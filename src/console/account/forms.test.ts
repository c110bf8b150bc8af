import { expect, test } from 'vitest'
import { newSshKey } from '#test/ssh-keys.ts'
import { signedIn } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

const PROFILE = '/-/user_settings/profile'
const EMAILS = '/-/profile/emails'
const KEYS = '/-/user_settings/ssh_keys'
const NOTIFICATIONS = '/-/profile/notifications'

test('a profile, a status and a picture', async () => {
  const { visitor, user } = await signedIn(w)
  const saved = await submit(visitor, PROFILE, 'save', {
    name: 'Ada <Lovelace>',
    bio: 'Counts\r\nand writes',
    pronouns: 'she/her',
    private_profile: 'true',
  })
  expect(saved.status).toBe(303)
  expect((await user.get('/user')).body).toMatchObject({
    name: 'Ada <Lovelace>',
    bio: 'Counts\nand writes',
    pronouns: 'she/her',
    private_profile: true,
  })
  const wrong = await submit(visitor, PROFILE, 'save', { name: '', bio: 'x'.repeat(256) })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('id="save-name-problem"')
  expect(wrong.text).toContain('id="save-bio-problem"')
  await submit(visitor, PROFILE, 'set-status', {
    message: 'Thinking',
    emoji: '',
    availability: 'busy',
    clear_status_after: '3_hours',
  })
  expect((await user.get('/user/status')).body).toMatchObject({
    message: 'Thinking',
    emoji: 'speech_balloon',
    availability: 'busy',
    clear_status_at: expect.any(String),
  })
  const unknown = await submit(visitor, PROFILE, 'set-status', { emoji: 'no emoji' })
  expect([unknown.status, unknown.text.includes('id="set-status-emoji-problem"')]).toEqual([400, true])
  await submit(visitor, PROFILE, 'clear-status')
  const { text } = await visitor.get(PROFILE, HERE)
  expect(formsIn(text)).toEqual(['save', 'set-status', 'set-avatar'])
  expect(text).toContain('aria-current="page"')
})

test('addresses are added, removed, and chosen for what they are confirmed for', async () => {
  const { visitor, user, id } = await signedIn(w)
  const email = `${unique('second')}@example.com`
  await submit(visitor, EMAILS, 'add', { email })
  const [added] = (await user.get('/user/emails')).body
  expect(added).toMatchObject({ email, confirmed_at: null })
  const shown = (await visitor.get(EMAILS, HERE)).text
  expect(shown).toContain('not confirmed yet')
  expect(shown).not.toContain(`<option value="${email}"`)
  const early = await submit(visitor, EMAILS, 'choose', { public_email: email })
  expect([early.status, early.text.includes('id="choose-public_email-problem"')]).toEqual([400, true])
  await submit(visitor, EMAILS, `remove/${added.id}`)
  expect((await user.get('/user/emails')).body).toEqual([])
  await w.root.post(`/users/${id}/emails`, { email, skip_confirmation: true })
  await submit(visitor, EMAILS, 'choose', { public_email: email, commit_email: email })
  expect((await user.get('/user')).body).toMatchObject({ public_email: email, commit_email: email })
  await submit(visitor, EMAILS, 'choose', { public_email: '' })
  expect((await user.get('/user')).body).toMatchObject({ public_email: null, commit_email: email })
  const again = await submit(visitor, EMAILS, 'add', { email })
  expect([again.status, again.text.includes('role="alert"') || again.text.includes('-problem')]).toEqual([
    400,
    true,
  ])
})

test('keys are added and removed', async () => {
  const { visitor, user } = await signedIn(w)
  const key = newSshKey()
  await submit(visitor, KEYS, 'add', { title: 'Laptop', key, usage_type: 'signing', expires_at: '' })
  const [added] = (await user.get('/user/keys')).body
  expect(added).toMatchObject({ title: 'Laptop', usage_type: 'signing', expires_at: null })
  expect((await visitor.get(KEYS, HERE)).text).toContain('Sign commits alone')
  const wrong = await submit(visitor, KEYS, 'add', { title: 'Other', key: 'no key' })
  expect([wrong.status, wrong.text.includes('id="add-key-problem"')]).toEqual([400, true])
  await submit(visitor, KEYS, `remove/${added.id}`)
  expect((await user.get('/user/keys')).body).toEqual([])
})

test('what somebody is told of everywhere, in a group and in a project', async () => {
  const { visitor, user, id } = await signedIn(w)
  const group = await w.group()
  const p = await w.project({ parent: group.id })
  await w.member(group.id, { id }, 20)
  const own = await submit(visitor, NOTIFICATIONS, 'save', {
    level: 'custom',
    notified_of_own_activity: 'true',
  })
  expect(own.status).toBe(303)
  const listed = (await visitor.get(NOTIFICATIONS, HERE)).text
  expect(listed).toContain(`href="/groups/${group.fullPath}/-/notifications"`)
  expect(listed).toContain(`href="/${p.fullPath}/-/notifications"`)
  expect(listed.match(/value="failed_pipeline"\s+checked/)).not.toBeNull()
  await submit(visitor, NOTIFICATIONS, 'save', { level: 'custom', 'events[]': 'new_issue' })
  expect((await user.get('/notification_settings')).body).toMatchObject({
    level: 'custom',
    notified_of_own_activity: true,
    events: { new_issue: true, failed_pipeline: false },
  })
  const wrong = await submit(visitor, NOTIFICATIONS, 'save', { notification_email: 'other@example.com' })
  expect(wrong.text).toContain('id="save-notification_email-problem"')
  for (const [page, first, at] of [
    [`/groups/${group.fullPath}/-/notifications`, `/${group.fullPath}`, `/groups/${group.id}`],
    [`/${p.fullPath}/-/notifications`, `/${p.fullPath}`, `/projects/${p.id}`],
  ] as const) {
    expect((await visitor.get(first, HERE)).text).toContain(`href="${page}"`)
    await submit(visitor, page, 'save', { level: 'watch' })
    expect((await user.get(`${at}/notification_settings`)).body).toEqual({ level: 'watch' })
    await submit(visitor, page, 'save', { level: 'custom' })
    await submit(visitor, page, 'save', { 'events[]': 'new_note' })
    const { body } = await user.get(`${at}/notification_settings`)
    expect(body).toMatchObject({ level: 'custom', events: { new_note: true, fixed_pipeline: false } })
    expect((await submit(visitor, page, 'save', { level: 'loud' })).status).toBe(400)
  }
})

test('preferences say how changes of code are shown, and addresses say otherwise', async () => {
  const { visitor, user, id } = await signedIn(w)
  const p = await w.project()
  await w.member(p.namespaceId, { id }, 30)
  const commit = (branch: string, action: string, files: Record<string, string>, more: object = {}) =>
    p.owner.post(`/projects/${p.id}/repository/commits`, {
      branch,
      commit_message: 'Change',
      actions: Object.entries(files).map(([file_path, content]) => ({ action, file_path, content })),
      ...more,
    })
  await commit('main', 'create', { 'a.txt': 'one\n  two\nthree\n', 'b.txt': 'four\n' })
  const files = { 'a.txt': 'one\n\ttwo \nTHREE\n', 'b.txt': 'five\n' }
  const { body } = await commit('topic', 'update', files, { start_branch: 'main' })
  const branches = { source_branch: 'topic', target_branch: 'main' }
  const opened = await p.owner.post(`/projects/${p.id}/merge_requests`, { title: 'x', ...branches })
  const page = `/${p.fullPath}/-/merge_requests/${opened.body.iid}/diffs`
  const shown = async (address: string) => {
    const { text } = await visitor.get(address, HERE)
    const marked = [...text.matchAll(/<tr class="(added|removed)">[^]*?<code>([^<]*)<\/code>/g)]
    return marked.map(([, kind = '', line = '']) => `${kind} ${line}`)
  }
  const spaces = ['removed   two', 'removed three', 'added \ttwo ', 'added THREE']
  const words = ['removed three', 'added THREE']
  const second = ['removed four', 'added five']
  expect(await shown(page)).toEqual([...spaces, ...second])
  expect(await shown(`${page}?w=1`)).toEqual([...words, ...second])
  expect(await shown(`/${p.fullPath}/-/commit/${body.id}?w=1`)).toEqual([...words, ...second])

  const preferences = '/-/profile/preferences'
  const chosen = { view_diffs_file_by_file: 'true', show_whitespace_in_diffs: 'false' }
  expect((await submit(visitor, preferences, 'save', chosen)).status).toBe(303)
  expect((await user.get('/user/preferences')).body).toMatchObject({
    view_diffs_file_by_file: true,
    show_whitespace_in_diffs: false,
  })
  expect(await shown(page)).toEqual(words)
  expect(await shown(`${page}?w=0`)).toEqual(spaces)
  expect(await shown(`${page}?file=2`)).toEqual(second)
  const { text } = await visitor.get(page, HERE)
  expect(text).toContain(`<a href="${page}?file=2#file-2" rel="next">Next file</a>`)
  expect(text).toContain('File 1 of 2')
})
