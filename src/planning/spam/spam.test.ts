import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { RunningServer } from '#server-options.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { Actor, type Place, unique, w } from '#test/world.ts'

/** A service that reads forms and answers with what `answer` says. */
class Service {
  readonly asked: URLSearchParams[] = []
  answer: (form: URLSearchParams) => { status?: number; body: string; tip?: string } | undefined = () => ({
    body: '',
  })
  readonly #server: Server
  constructor() {
    this.#server = createServer((req, res) => void this.#serve(req, res))
  }
  async #serve(req: IncomingMessage, res: ServerResponse) {
    const form = new URLSearchParams(await text(req))
    this.asked.push(form)
    const answer = this.answer(form)
    // Undefined: it never answers.
    if (answer === undefined) return
    if (answer.tip !== undefined) res.setHeader('x-akismet-pro-tip', answer.tip)
    res.writeHead(answer.status ?? 200).end(answer.body)
  }
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const akismet = new Service()
const captcha = new Service()
let node: RunningServer
let place: Place
let stranger: Actor

type Changes = Parameters<typeof changeSettings>[1]
async function set(patch: Changes) {
  await w.write((tx) => changeSettings(tx, patch))
  await Promise.all([w.running, node].map(({ services }) => services.settingsView.reload()))
}

const on = {
  allow_local_requests_from_web_hooks_and_services: true,
  spam_check_endpoint_enabled: true,
  spam_check_fail_open: true,
  recaptcha_enabled: true,
}
const off = {
  allow_local_requests_from_web_hooks_and_services: false,
  spam_check_endpoint_enabled: false,
  spam_check_fail_open: true,
  recaptcha_enabled: false,
}

const here = ({ id, username, token }: Actor) => new Actor(node.url, id, username, token)

beforeAll(async () => {
  node = await w.another(undefined, {
    FORGELET_SPAM_URL: `${await akismet.listen()}/1.1`,
    FORGELET_SPAM_KEY: 'spam-key',
    FORGELET_CAPTCHA_URL: `${await captcha.listen()}/siteverify`,
    FORGELET_CAPTCHA_SITE_KEY: 'site-key',
    FORGELET_CAPTCHA_SECRET: 'captcha-secret',
  })
  place = await w.project({ visibility: 'public' })
  stranger = here(place.stranger)
})
afterAll(async () => {
  await set(off)
  await node.stop()
  akismet.close()
  captcha.close()
})

beforeEach(async () => {
  await set(on)
  await node.services.limits.forget()
  akismet.asked.length = 0
  captcha.asked.length = 0
  akismet.answer = (form) => ({
    body: String(form.get('comment_content')?.includes('Cheap watches') === true),
  })
  captcha.answer = (form) => ({ body: JSON.stringify({ success: form.get('response') === 'right' }) })
})

const issues = () => `/projects/${place.id}/issues`
const spam = (title = 'Cheap watches') => ({ title, description: unique('text') })
const discarded = (noun: string) => ({
  status: 400,
  body: { message: { error: `Your ${noun} has been recognized as spam and has been discarded.` } },
})
const askedFor = (noun: string) => ({
  status: 409,
  body: {
    needs_captcha_response: true,
    spam_log_id: expect.any(Number),
    captcha_site_key: 'site-key',
    message: {
      error: `Your ${noun} has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.`,
    },
  },
})
const answering = (who: Actor, logId: unknown, response = 'right', brand = 'gitlab') =>
  who.with({ [`x-${brand}-captcha-response`]: response, [`x-${brand}-spam-log-id`]: String(logId) })

describe('without a CAPTCHA, spam is discarded', () => {
  beforeEach(() => set({ recaptcha_enabled: false }))

  test('with the noun of what it was', async () => {
    expect(await stranger.post(issues(), spam())).toMatchObject(discarded('issue'))
    const snippet = { ...spam(), file_name: 'a.txt', content: 'x', visibility: 'public' }
    expect(await stranger.post('/snippets', snippet)).toMatchObject(discarded('snippet'))
    const { body: issue } = await w.root.post(issues(), { title: 'Fine' })
    const notes = `${issues()}/${issue.iid}/notes`
    expect(await stranger.post(notes, { body: 'Cheap watches' })).toMatchObject(discarded('note'))
    const discussions = `${issues()}/${issue.iid}/discussions`
    expect(await stranger.post(discussions, { body: 'Cheap watches' })).toMatchObject(discarded('note'))
    expect((await w.root.get(notes)).body).toEqual([])
  })

  test('also when it comes by a change', async () => {
    const issue = (await stranger.post(issues(), { title: 'Fine' })).body
    const one = `${issues()}/${issue.iid}`
    expect(await stranger.put(one, { description: 'Cheap watches' })).toMatchObject(discarded('issue'))
    expect((await stranger.put(one, { state_event: 'close' })).status).toBe(200)
    const note = (await stranger.post(`${one}/notes`, { body: 'Fine' })).body
    const changed = await stranger.put(`${one}/notes/${note.id}`, { body: 'Cheap watches' })
    expect(changed).toMatchObject(discarded('note'))
    const { body: thread } = await stranger.post(`${one}/discussions`, { body: 'Fine' })
    const replies = `${one}/discussions/${thread.id}/notes`
    expect(await stranger.post(replies, { body: 'Cheap watches' })).toMatchObject(discarded('note'))
    const first = `${replies}/${thread.notes[0].id}`
    expect(await stranger.put(first, { body: 'Cheap watches' })).toMatchObject(discarded('note'))
    const snippet = { title: 'Fine', file_name: 'a.txt', content: 'x', visibility: 'public' }
    const { body: made } = await stranger.post('/snippets', snippet)
    const again = await stranger.put(`/snippets/${made.id}`, { content: 'Cheap watches' })
    expect(again).toMatchObject(discarded('snippet'))
  })

  test('on whatever people comment, and by whichever path', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const path = `/projects/${p.id}`
    const request = await openMergeRequest(p, p.developer)
    const files = [{ file_path: 'a.txt', content: 'a' }]
    const open = { title: 'Open', visibility: 'public', files }
    const { body: snippet } = await p.developer.post(`${path}/snippets`, open)
    const { body: page } = await p.developer.post(`${path}/wikis`, { title: 'Home', content: 'Hello' })
    const { body: commit } = await p.developer.get(`${path}/repository/commits/main`)
    const one = here(p.stranger)
    const below = [
      request.path,
      `${path}/snippets/${snippet.id}`,
      `${path}/wiki_pages/${page.wiki_page_meta_id}`,
    ].flatMap((on) => [`${on}/notes`, `${on}/discussions`])
    const onCommit = `${path}/repository/commits/${commit.id}`
    for (const on of [...below, `${onCommit}/discussions`, `${onCommit}/comments`]) {
      const said = { body: 'Cheap watches', note: 'Cheap watches' }
      expect({ on, ...(await one.post(on, said)) }).toMatchObject({ on, ...discarded('note') })
    }
    expect((await p.owner.get(`${onCommit}/comments`)).body).toEqual([])
  })

  test('headers of a CAPTCHA change nothing', async () => {
    await stranger.post(issues(), spam())
    expect(await answering(stranger, 1).post(issues(), spam())).toMatchObject(discarded('issue'))
    expect(captcha.asked).toEqual([])
  })
})

test('the service gets what it needs to know, and no more', async () => {
  const asked = spam('Hello')
  expect((await stranger.with({ 'user-agent': 'bot/1' }).post(issues(), asked)).status).toBe(201)
  expect(Object.fromEntries(akismet.asked[0] ?? [])).toEqual({
    api_key: 'spam-key',
    blog: node.url,
    user_ip: '127.0.0.1',
    user_agent: 'bot/1',
    referrer: '',
    comment_type: 'forum-post',
    comment_author: stranger.username,
    comment_author_email: `${stranger.username}@example.com`,
    comment_content: `Hello\n\n${asked.description}`,
  })
})

test('administrators, everybody with a role and bots are trusted, and private snippets are private', async () => {
  const token = { name: 'robot', scopes: ['api'], access_level: 10 }
  const { body: bot } = await w.root.post(`/projects/${place.id}/access_tokens`, token)
  const trusted = [
    here(w.root),
    here(place.guest),
    here(place.owner),
    new Actor(node.url, bot.user_id, 'bot', bot.token),
  ]
  for (const who of trusted) expect((await who.post(issues(), spam())).status).toBe(201)
  const snippet = { ...spam(), file_name: 'a.txt', content: 'x', visibility: 'private' }
  const { status, body } = await stranger.post('/snippets', snippet)
  expect(status).toBe(201)
  expect(akismet.asked).toEqual([])
  const published = await stranger.put(`/snippets/${body.id}`, { visibility: 'public' })
  expect(published).toMatchObject(askedFor('snippet'))
})

test('nothing is checked while the setting is off', async () => {
  await set({ spam_check_endpoint_enabled: false })
  expect((await stranger.post(issues(), spam())).status).toBe(201)
  expect(akismet.asked).toEqual([])
})

test('every request that writes a comment says that it is checked', () => {
  const writing = /\/(notes|discussions|comments)(\/:note_id)?$/
  const all = w.running.app.declaredRoutes.filter(
    ({ method, url }) => ['POST', 'PUT'].includes(method) && writing.test(url),
  )
  const unchecked = all.filter(({ schema }) => schema.checkedForSpam !== true)
  expect(all.length).toBeGreaterThan(30)
  expect(unchecked.map(({ method, url }) => `${method} ${url}`)).toEqual([])
})

test('who may not write hears that, and the service nothing', async () => {
  const hidden = await w.project()
  expect((await stranger.post(`/projects/${hidden.id}/issues`, spam())).status).toBe(404)
  const { body: issue } = await w.root.post(issues(), { title: 'Not yours' })
  expect((await stranger.put(`${issues()}/${issue.iid}`, spam())).status).toBe(403)
  expect(akismet.asked).toEqual([])
})

describe('a service that does not say what it thinks', () => {
  const wrong = [
    { status: 500, body: 'true' },
    { body: 'invalid' },
    { status: 302, body: 'true' },
    { body: 'x'.repeat(100_000) },
  ]

  test('lets everything pass, unless the setting says otherwise', async () => {
    for (const answer of wrong) {
      akismet.answer = () => answer
      expect((await stranger.post(issues(), spam())).status).toBe(201)
    }
    await set({ spam_check_fail_open: false })
    const closed = await stranger.post(issues(), spam())
    expect([closed.status, closed.headers.get('retry-after')]).toEqual([503, '10'])
  })

  test('is waited for five seconds', { timeout: 180_000 }, async () => {
    akismet.answer = () => undefined
    const begun = performance.now()
    expect((await stranger.post(issues(), spam())).status).toBe(201)
    expect(performance.now() - begun).toBeGreaterThan(4_900)
  })

  test('is not reached where outgoing requests are not allowed', async () => {
    await set({ allow_local_requests_from_web_hooks_and_services: false })
    expect((await stranger.post(issues(), spam())).status).toBe(201)
    expect(akismet.asked).toEqual([])
  })
})

describe('with a CAPTCHA', () => {
  test('what looks like spam passes with the right answer, once', async () => {
    const asked = spam()
    const refused = await stranger.post(issues(), asked)
    expect(refused).toMatchObject(askedFor('issue'))
    const again = answering(stranger, refused.body.spam_log_id)
    expect((await again.post(issues(), asked)).status).toBe(201)
    expect(Object.fromEntries(captcha.asked[0] ?? [])).toEqual({
      secret: 'captcha-secret',
      response: 'right',
      remoteip: '127.0.0.1',
    })
    expect(await again.post(issues(), asked)).toMatchObject(askedFor('issue'))
    expect(captcha.asked).toHaveLength(1)
  })

  test("the specification's names of the headers work as well", async () => {
    const asked = spam()
    const { body } = await stranger.post(issues(), asked)
    const again = answering(stranger, body.spam_log_id, 'right', 'service')
    expect((await again.post(issues(), asked)).status).toBe(201)
  })

  test('a wrong answer leads to another CAPTCHA', async () => {
    const asked = spam()
    const { body: first } = await stranger.post(issues(), asked)
    const second = await answering(stranger, first.spam_log_id, 'wrong').post(issues(), asked)
    expect(second).toMatchObject(askedFor('issue'))
    expect(second.body.spam_log_id).not.toBe(first.spam_log_id)
    // The first one is used up.
    expect((await answering(stranger, first.spam_log_id).post(issues(), asked)).status).toBe(409)
    expect((await answering(stranger, second.body.spam_log_id).post(issues(), asked)).status).toBe(201)
  })

  test('an answer counts for the same content, kind and person alone', async () => {
    const asked = spam()
    const { body } = await stranger.post(issues(), asked)
    const other = here(await w.user())
    const id = body.spam_log_id
    expect((await answering(other, id).post(issues(), asked)).status).toBe(409)
    expect((await answering(stranger, id).post(issues(), spam())).status).toBe(409)
    for (const wrong of ['0', '-1', 'x', '99999999999999999999'])
      expect((await answering(stranger, wrong).post(issues(), asked)).status).toBe(409)
    expect(captcha.asked).toEqual([])
    expect((await answering(stranger, id).post(issues(), asked)).status).toBe(201)
  })

  test('of two who send an answer at the same moment, one passes', async () => {
    const asked = spam()
    const { body } = await stranger.post(issues(), asked)
    const again = answering(stranger, body.spam_log_id)
    const answers = await Promise.all([again.post(issues(), asked), again.post(issues(), asked)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
    expect(captcha.asked).toHaveLength(1)
  })

  test('an answer can be sent again after the service was down', async () => {
    const asked = spam()
    const { body } = await stranger.post(issues(), asked)
    captcha.answer = () => ({ status: 500, body: '' })
    const again = answering(stranger, body.spam_log_id)
    expect((await again.post(issues(), asked)).status).toBe(503)
    captcha.answer = () => ({ body: '{"success":true}' })
    expect((await again.post(issues(), asked)).status).toBe(201)
  })

  test('what is spam beyond doubt is discarded nevertheless', async () => {
    akismet.answer = () => ({ body: 'true', tip: 'discard' })
    expect(await stranger.post(issues(), spam())).toMatchObject(discarded('issue'))
  })
})

describe('spam logs', () => {
  test('tell administrators what was written by whom, and whether the CAPTCHA was solved', async () => {
    const asked = spam()
    const { body } = await stranger.with({ 'user-agent': 'bot/2' }).post(issues(), asked)
    await answering(stranger, body.spam_log_id).post(issues(), asked)
    const { body: logs } = await w.root.get('/spam_logs?per_page=1')
    expect(logs).toEqual([
      {
        id: body.spam_log_id,
        user: expect.objectContaining({ username: stranger.username }),
        source_ip: '127.0.0.1',
        user_agent: 'bot/2',
        noteable_type: 'Issue',
        title: asked.title,
        description: asked.description,
        recaptcha_verified: true,
        created_at: expect.stringMatching(/^\d{4}-/),
      },
    ])
  })

  test('are deleted, on request with whoever wrote it', async () => {
    const spammer = here(await w.user())
    const { body: first } = await spammer.post(issues(), spam())
    const { body: second } = await spammer.post(issues(), spam())
    expect((await w.root.delete(`/spam_logs/${first.spam_log_id}`)).status).toBe(204)
    expect((await w.root.delete(`/spam_logs/${first.spam_log_id}`)).status).toBe(404)
    expect((await spammer.get('/user')).status).toBe(200)
    expect((await w.root.delete(`/spam_logs/${second.spam_log_id}?remove_user=true`)).status).toBe(204)
    expect((await spammer.get('/user')).status).toBe(401)
  })
})
