import { beforeAll, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, saidIn } from './test-support.ts'

// Who somebody is, pages learn from the session of a browser, and from nothing else.

let p: Awaited<ReturnType<typeof w.project>>
let page = ''
let missing = ''
const stranger = new Visitor(w.url, { headers: HERE })

beforeAll(async () => {
  p = await w.project({ visibility: 'private' })
  page = `/${p.fullPath}`
  missing = saidIn(await stranger.get('/nobody/nothing'))
})

test('tokens of all kinds show no page, and send no form', async () => {
  const { token } = p.owner
  const made = await p.owner.post(`/projects/${p.id}/deploy_tokens`, {
    name: 'deploy',
    scopes: ['read_repository'],
  })
  expect(made.status).toBe(201)
  const basic = (password: string, name = 'x') => `Basic ${btoa(`${name}:${password}`)}`
  const headers = [
    { 'private-token': token },
    { authorization: `Bearer ${token}` },
    { authorization: basic(token) },
    { 'job-token': token },
    { 'deploy-token': made.body.token },
    { authorization: basic(made.body.token, made.body.username) },
    { 'private-token': token, sudo: 'root' },
  ]
  const queries = ['private_token', 'access_token', 'job_token', 'feed_token', 'rss_token', 'sudo']
  const answers = [
    ...headers.map((sent) => stranger.get(page, sent)),
    ...queries.map((name) => stranger.get(`${page}?${name}=${name === 'sudo' ? 'root' : token}`)),
  ]
  for (const answer of await Promise.all(answers))
    expect([answer.status, saidIn(answer)]).toEqual([404, missing])
  for (const sent of headers) {
    const { status } = await stranger.post(page, { do: 'star' }, sent)
    expect(status).toBe(401)
  }
  expect((await p.owner.get(`/projects/${p.id}`)).body.star_count).toBe(0)
})

test('a session ends with the account, and shows no more than its owner may see', async () => {
  const ada = await signedIn(w)
  await w.member(p.namespaceId, ada, levels.developer)
  const shown = async () => (await ada.visitor.get(page, HERE)).status
  expect(await shown()).toBe(200)
  // Administrators act as others with tokens; the parameter means nothing here.
  expect((await ada.visitor.get(`${page}/-/settings/general?sudo=root`, HERE)).status).toBe(404)
  for (const [end, back] of [
    ['block', 'unblock'],
    ['ban', 'unban'],
  ]) {
    expect((await w.root.post(`/users/${ada.id}/${end}`)).status).toBe(201)
    expect(await shown()).toBe(404)
    expect((await w.root.post(`/users/${ada.id}/${back}`)).status).toBe(201)
  }
})
