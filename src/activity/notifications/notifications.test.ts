import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { headerOf } from '#test/smtp.ts'
import { w } from '#test/mail-world.ts'
import { type Actor, unique } from '#test/world.ts'
import { everybodyTold, mailsOf, subjectsOf } from './test-support.ts'

type Project = Awaited<ReturnType<typeof w.project>>

async function issueOf(p: Project, more: object = {}, by: Actor = p.owner) {
  const title = unique('Issue')
  const { body } = await by.post(`/projects/${p.id}/issues`, { title, ...more })
  const path = `/projects/${p.id}/issues/${body.iid}`
  // Who comes later is not told of it.
  await everybodyTold()
  const opening = `${p.fullPath.split('/').at(-1)} | ${title} (#${body.iid})`
  return { path, title, opening, reply: `Re: ${opening}`, id: body.id, web_url: body.web_url }
}

const setLevel = (by: Actor, place: string, level: string) =>
  by.put(`${place}/notification_settings`, { level })
const note = (by: Actor, path: string, body: string, more: object = {}) =>
  toldOf(by.post(`${path}/notes`, { body, ...more }))
/** Waits for the mails of a note: those of two notes may otherwise arrive in either order. */
async function toldOf<Reply>(noted: Promise<Reply>): Promise<Reply> {
  const reply = await noted
  await everybodyTold()
  return reply
}
const reasonsOf = async (actor: Actor) =>
  (await mailsOf(actor)).map((mail) => headerOf(mail, 'X-GitLab-NotificationReason'))

describe('who is told, and why', () => {
  test('those who take part: the author, assignees, who commented and who is mentioned; never who did it', async () => {
    const p = await w.project()
    const { path, opening, reply } = await issueOf(p, {
      assignee_ids: [p.guest.id],
      description: `With @${p.planner.username}`,
    })
    await note(p.developer, path, 'Me, too')
    await note(p.reporter, path, 'And me')
    expect(await subjectsOf(p.owner)).toEqual([reply, reply])
    expect(await subjectsOf(p.guest)).toEqual([opening, reply, reply])
    expect(await subjectsOf(p.planner)).toEqual([opening, reply, reply])
    expect(await subjectsOf(p.developer)).toEqual([reply])
    expect(await subjectsOf(p.reporter)).toEqual([])
    expect(await subjectsOf(p.maintainer)).toEqual([])
    expect(await reasonsOf(p.planner)).toEqual(['mentioned', 'participating', 'participating'])
  })

  test('whoever watches, and nobody with less', async () => {
    const p = await w.project()
    await setLevel(p.guest, `/projects/${p.id}`, 'watch')
    await setLevel(p.planner, `/projects/${p.id}`, 'mention')
    await setLevel(p.reporter, `/projects/${p.id}`, 'disabled')
    const people = [p.planner, p.reporter, p.developer].map(({ username }) => `@${username}`).join(' ')
    const { path, opening, reply } = await issueOf(p)
    await note(p.owner, path, `For ${people}`)
    expect(await subjectsOf(p.guest)).toEqual([opening, reply])
    expect(await subjectsOf(p.planner)).toEqual([reply])
    expect(await subjectsOf(p.reporter)).toEqual([])
    expect(await subjectsOf(p.developer)).toEqual([reply])
    // Who was mentioned takes part from then on, unless their level wants mentions alone.
    await note(p.owner, path, 'Once more')
    expect(await subjectsOf(p.planner)).toEqual([reply])
    expect(await subjectsOf(p.developer)).toEqual([reply, reply])
  })

  test('by the nearest setting: of the project, of the groups above it, of everywhere', async () => {
    const top = await w.group()
    const sub = await w.group({ parent: top.id })
    const p = await w.project({ parent: sub.id })
    const person = await w.user()
    await w.member(top.id, person, levels.guest)
    const told = async () => {
      const { opening } = await issueOf(p)
      return (await subjectsOf(person)).includes(opening)
    }
    expect(await told()).toBe(false)
    await person.put('/notification_settings', { level: 'watch' })
    expect(await told()).toBe(true)
    await setLevel(person, `/groups/${top.id}`, 'participating')
    expect(await told()).toBe(false)
    await setLevel(person, `/groups/${sub.id}`, 'watch')
    expect(await told()).toBe(true)
    await setLevel(person, `/projects/${p.id}`, 'disabled')
    expect(await told()).toBe(false)
    await setLevel(person, `/projects/${p.id}`, 'global')
    expect(await told()).toBe(true)
  })

  test('subscribers, even where they want nothing else; and nobody who unsubscribed, unless mentioned', async () => {
    const p = await w.project()
    const { path, reply } = await issueOf(p)
    await setLevel(p.guest, `/projects/${p.id}`, 'disabled')
    await p.guest.post(`${path}/subscribe`)
    await p.owner.post(`${path}/unsubscribe`)
    await note(p.developer, path, 'First')
    expect(await subjectsOf(p.guest)).toEqual([reply])
    expect(await subjectsOf(p.owner)).toEqual([])
    await note(p.developer, path, `@${p.owner.username}`)
    expect(await subjectsOf(p.owner)).toEqual([reply])
  })

  test('who subscribed to a label, of what is new and of what gets it', async () => {
    const p = await w.project()
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'urgent', color: 'red' })
    await p.guest.post(`/projects/${p.id}/labels/urgent/subscribe`)
    const { opening } = await issueOf(p, { labels: 'urgent' })
    const later = await issueOf(p)
    expect(await subjectsOf(p.guest)).toEqual([opening])
    await p.owner.put(later.path, { add_labels: 'urgent' })
    expect(await subjectsOf(p.guest)).toEqual([opening, later.reply])
  })

  test('new assignees and those before, also at the level mention', async () => {
    const p = await w.project()
    for (const one of [p.guest, p.planner]) await setLevel(one, `/projects/${p.id}`, 'mention')
    const { path, reply } = await issueOf(p, { assignee_ids: [p.guest.id] })
    await p.owner.put(path, { assignee_ids: [p.planner.id] })
    expect(await subjectsOf(p.guest)).toEqual([reply])
    expect(await reasonsOf(p.guest)).toEqual(['unassigned'])
    expect(await reasonsOf(p.planner)).toEqual(['assigned'])
    const [mail] = await mailsOf(p.planner)
    expect(mail?.text).toContain(`assigned @${p.planner.username} and unassigned @${p.guest.username}`)
  })

  test('who did it, if they want so', async () => {
    const p = await w.project()
    await p.owner.put('/notification_settings', { notified_of_own_activity: true })
    const { path, opening, reply } = await issueOf(p)
    await note(p.owner, path, 'Mine')
    expect(await subjectsOf(p.owner)).toEqual([opening, reply])
    expect(await reasonsOf(p.owner)).toEqual(['own_activity', 'own_activity'])
  })

  test('each once, whatever the number of reasons; members of a group that is mentioned, too', async () => {
    const p = await w.project()
    const group = await w.group()
    await w.member(group.id, p.guest, levels.guest)
    await w.memberAtLeast(group.id, p.planner, levels.guest)
    await w.memberAtLeast(group.id, p.owner, levels.owner)
    await setLevel(p.guest, `/projects/${p.id}`, 'watch')
    const { path, opening, reply } = await issueOf(p, { assignee_ids: [p.guest.id] })
    await p.guest.post(`${path}/subscribe`)
    await note(p.owner, path, `@${group.fullPath} and @${p.guest.username}`)
    expect(await subjectsOf(p.guest)).toEqual([opening, reply])
    expect(await subjectsOf(p.planner)).toEqual([reply])
  })

  test('who is mentioned by a change of a text, and nobody else', async () => {
    const p = await w.project()
    const { path, reply } = await issueOf(p, { description: `@${p.guest.username}` })
    const { body } = await note(p.owner, path, 'Look')
    const before = (await subjectsOf(p.guest)).length
    await p.owner.put(path, { description: `@${p.guest.username} @${p.planner.username}` })
    await p.owner.put(`${path}/notes/${body.id}`, { body: `Look, @${p.reporter.username}` })
    expect(await subjectsOf(p.guest)).toHaveLength(before)
    expect(await subjectsOf(p.planner)).toEqual([reply])
    expect(await subjectsOf(p.reporter)).toEqual([reply])
  })

  test('nobody where mails are switched off', async () => {
    const group = await w.group()
    const [p, q] = [await w.project({ parent: group.id }), await w.project()]
    await group.owner.put(`/groups/${group.id}`, { emails_enabled: false })
    await q.owner.put(`/projects/${q.id}`, { emails_enabled: false })
    for (const one of [p, q]) {
      await issueOf(one, { assignee_ids: [one.guest.id] })
      expect(await subjectsOf(one.guest)).toEqual([])
    }
  })

  test('not of an issue that only moved, but where to', async () => {
    const [p, q] = [await w.project(), await w.project()]
    await w.member(q.namespaceId, p.owner, levels.owner)
    await w.member(q.namespaceId, p.guest, levels.guest)
    const { path, reply, opening } = await issueOf(p, { assignee_ids: [p.guest.id] })
    expect((await p.owner.post(`${path}/move`, { to_project_id: q.id })).status).toBe(201)
    expect(await subjectsOf(p.guest)).toEqual([opening, reply])
    expect((await mailsOf(p.guest)).at(-1)?.text).toContain(`moved the issue to ${q.fullPath}#1`)
  })
})

describe('a mail', () => {
  test('has both parts, the page, and what programs sort it by', async () => {
    const p = await w.project()
    const { path, reply, id, web_url } = await issueOf(p)
    const { body: written } = await note(p.guest, path, 'Is <b>this</b> it?')
    const [mail] = await mailsOf(p.owner)
    if (mail === undefined) throw new Error('no mail')
    expect(mail.subject).toBe(reply)
    expect(mail.from).toMatchObject({ name: p.guest.username })
    expect(mail.text).toContain('Is <b>this</b> it?')
    expect(mail.html).toContain('Is &lt;b&gt;this&lt;/b&gt; it?')
    for (const part of [mail.text, mail.html]) expect(part).toContain(`${web_url}#note_${written.id}`)
    const headers = {
      'List-Id': `${p.fullPath} <${p.id}.${p.fullPath.split('/').toReversed().join('.')}.127.0.0.1>`,
      'X-GitLab-Project': p.fullPath.split('/').at(-1),
      'X-GitLab-Project-Id': String(p.id),
      'X-GitLab-Project-Path': p.fullPath,
      'X-GitLab-Issue-ID': String(id),
      'X-GitLab-Issue-IID': '1',
      'X-GitLab-Issue-State': 'opened',
      'X-GitLab-Note-ID': String(written.id),
      'X-GitLab-NotificationReason': 'participating',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    }
    for (const [name, value] of Object.entries(headers))
      expect([name, headerOf(mail, name)]).toEqual([name, value])
  })

  test('is in the thread of its issue, and a reply below its note', async () => {
    const p = await w.project()
    await setLevel(p.guest, `/projects/${p.id}`, 'watch')
    const { path } = await issueOf(p)
    const { body: thread } = await toldOf(p.owner.post(`${path}/discussions`, { body: 'First' }))
    await toldOf(p.owner.post(`${path}/discussions/${thread.id}/notes`, { body: 'Second' }))
    const [opening, first, second] = await mailsOf(p.guest)
    expect(opening?.inReplyTo).toBeUndefined()
    expect(first).toMatchObject({ inReplyTo: opening?.messageId, references: opening?.messageId })
    expect(second).toMatchObject({
      inReplyTo: first?.messageId,
      references: `${opening?.messageId} ${first?.messageId}`,
    })
    expect(new Set([opening, first, second].map((mail) => mail?.messageId)).size).toBe(3)
  })
})

describe('the link that ends mails', () => {
  const linkIn = (mail: Awaited<ReturnType<typeof mailsOf>>[number] | undefined) =>
    headerOf(mail ?? raise(), 'List-Unsubscribe')?.slice(1, -1) ?? ''
  const raise = (): never => {
    throw new Error('no mail')
  }

  test('shows a page that changes nothing, and works with one click without signing in', async () => {
    const p = await w.project()
    const { path, reply } = await issueOf(p, { assignee_ids: [p.guest.id] })
    const [mail] = await mailsOf(p.guest)
    const link = linkIn(mail)
    const shown = await fetch(link)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await shown.text()).toContain('<form method="post">')
    await note(p.owner, path, 'Still')
    expect((await subjectsOf(p.guest)).slice(1)).toEqual([reply])
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(link, { method: 'POST', body })).status).toBe(200)
    expect((await fetch(link, { method: 'POST', body })).status).toBe(200)
    await note(p.owner, path, 'No more')
    expect(await subjectsOf(p.guest)).toHaveLength(2)
    expect((await p.guest.get(path)).body.subscribed).toBe(false)
  })

  test('is good for one person and one thing', async () => {
    const p = await w.project()
    await issueOf(p, { assignee_ids: [p.guest.id] })
    const [mail] = await mailsOf(p.guest)
    const link = linkIn(mail)
    const forged = [
      link.replace(/\d+-n/, `${p.owner.id}-n`),
      link.slice(0, -1),
      `${link}x`,
      link.replace('-n', '-p'),
    ]
    for (const wrong of forged) {
      expect((await fetch(wrong)).status).toBe(404)
      expect((await fetch(wrong, { method: 'POST' })).status).toBe(404)
    }
  })
})
