import type { Email } from 'postal-mime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { Client } from '#test/client.ts'
import { sendingMails } from '#test/mail-world.ts'
import { mails, readMail } from '#test/smtp.ts'
import { Visitor } from '#test/visitor.ts'
import { type Actor, openWorld, unique, type World } from '#test/world.ts'
import { mailsOf } from './test-support.ts'

// Every address in a mail is a page for whoever got the mail.

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let own: World
beforeAll(async () => {
  own = await openWorld(undefined, 'ultimate', sendingMails)
}, 180_000)
afterAll(() => own.running.stop())

const done = async (sent: ReturnType<Actor['post']>) => {
  const { status, body } = await sent
  expect([status < 300, body]).toEqual([true, body])
  return body
}
const watch = (by: Actor, place: string) => done(by.put(`${place}/notification_settings`, { level: 'watch' }))

async function visitorOf(user: Actor): Promise<Visitor> {
  const visitor = new Visitor(own.url, { headers: BROWSER })
  const [name = '', value = ''] = (await own.session(user)).cookie.split('=')
  visitor.cookies.set(name, value)
  return visitor
}

const inSite = (address: string): string => address.replace(own.url, '').replaceAll('&amp;', '&') || '/'

/** The addresses of this server in a text. */
const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/https?:\/\/[^\s"'<>]+/g)]
    .map(([address]) => address.replace(/[.,]$/, ''))
    .filter((address) => address.startsWith(own.url))
    .map(inSite)

/** Opens all addresses of mails. @returns those that were no page */
async function deadIn(visitor: Visitor, sent: readonly Email[]): Promise<readonly string[]> {
  const dead: string[] = []
  for (const { subject, text = '', html = '' } of sent)
    for (const address of new Set([...addressesIn(text), ...addressesIn(html)])) {
      const first = await visitor.get(address, BROWSER)
      const { location } = first.headers
      // What was moved leads on, and the start to the page for signing in.
      const { status } = location !== undefined ? await visitor.get(inSite(location), BROWSER) : first
      if (status !== 200) dead.push(`${status} ${address} in ${subject}`)
    }
  return dead
}

test('what happens in a project and in a group', { timeout: 180_000 }, async () => {
  const group = await own.group()
  await watch(group.developer, `/groups/${group.id}`)
  const p = await projectWithCi('job: { script: x }', { world: own, parent: group.id })
  const at = `/projects/${p.id}`
  const writer = group.owner
  const note = (path: string) => done(writer.post(`${path}/notes`, { body: 'Look at **this**' }))
  const { iid } = await done(writer.post(`${at}/issues`, { title: 'A bug' }))
  await note(`${at}/issues/${iid}`)
  await done(
    writer.post(`${at}/repository/commits`, {
      branch: 'topic',
      start_branch: 'main',
      commit_message: 'Change',
      actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
    }),
  )
  const wanted = { title: 'Merge it', source_branch: 'topic', target_branch: 'main' }
  const request = await done(writer.post(`${at}/merge_requests`, wanted))
  await note(`${at}/merge_requests/${request.iid}`)
  const epic = await done(writer.post(`/groups/${group.id}/epics`, { title: 'A year' }))
  await note(`/groups/${group.id}/epics/${epic.id}`)
  const snippet = await done(
    writer.post(`${at}/snippets`, {
      title: 'A snippet',
      visibility: 'private',
      files: [{ file_path: 'a.txt', content: 'a' }],
    }),
  )
  await note(`${at}/snippets/${snippet.id}`)
  for (const place of [at, `/groups/${group.id}`]) {
    const page = await done(writer.post(`${place}/wikis`, { title: 'How to/Begin anew', content: 'So' }))
    await done(
      writer.post(`${place}/wiki_pages/${page.wiki_page_meta_id}/discussions`, { body: 'Well said' }),
    )
  }
  await done(writer.post(`${at}/repository/commits/main/discussions`, { body: 'Well done' }))
  const tool = await done(writer.post(`${at}/alert_management/integrations`, { name: 'Tool' }))
  await new Client(own.url, { authorization: `Bearer ${tool.authorization_key}` }).post(tool.url, {
    title: 'Disk full',
  })
  await done(writer.post(`${at}/releases`, { tag_name: 'v1/2#3', ref: 'main', name: 'One' }))
  const { id } = await p.create()
  await p.finish(id, 'job', 'failed')
  await done(writer.put(at, { path: unique('moved') }))
  const sent = []
  // Of pipelines, those are told who started them.
  for (const actor of [group.developer, p.developer]) {
    const got = await mailsOf(actor, own)
    expect(await deadIn(await visitorOf(actor), got)).toEqual([])
    sent.push(...got)
  }
  const said = sent.map(({ subject }) => subject).join('\n')
  for (const words of [
    'A bug',
    'Merge it',
    'A year',
    'A snippet',
    'Begin anew',
    'Commit ',
    'Disk full',
    'New release',
    'Pipeline for',
    'Project was moved',
  ])
    expect(said).toContain(words)
})

test('errors of programs', async () => {
  const p = await tracked(own)
  await watch(p.developer, `/projects/${p.id}`)
  for (let number = 0; number < 2; number += 1)
    await p.report(failure('it failed', { fingerprint: [`${number}`], transaction: `${number}` }))
  await expect.poll(async () => (await p.errors()).length).toBe(2)
  const sent = await mailsOf(p.developer, own)
  expect([sent.length, await deadIn(await visitorOf(p.developer), sent)]).toEqual([2, []])
})

test('accounts, their passwords and addresses', async () => {
  const username = unique('somebody')
  const address = `${username}@example.com`
  const account = {
    username,
    name: 'Somebody',
    email: address,
    reset_password: true,
    skip_confirmation: true,
  }
  const { id } = await done(own.root.post('/users', account))
  await done(own.root.post(`/users/${id}/emails`, { email: `second-${address}` }))
  const stranger = new Visitor(own.url, { headers: BROWSER })
  const openAll = async (count: number) => {
    const received = () => [...mails.mailsTo(`second-${address}`), ...mails.mailsTo(address)]
    await expect.poll(() => received().length).toBe(count)
    const sent = await Promise.all(received().map(({ raw }) => readMail(raw)))
    return deadIn(stranger, sent)
  }
  expect(await openAll(2)).toEqual([])
  // The new link replaces the one of the first mail.
  await stranger.submit('/users/password/new', '/users/password/new', { email: address })
  expect(await openAll(3)).toEqual([expect.stringMatching(/^404 .* in An account was created/)])
})
