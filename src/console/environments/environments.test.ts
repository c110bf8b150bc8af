import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { saidIn, submit } from '../test-support.ts'

const BROWSER = { accept: 'text/html' }
const stranger = new Visitor(w.url, { headers: BROWSER })

test('environments with what was deployed there', async () => {
  const p = await w.project({ visibility: 'private' })
  await importInto(p, commits({ message: 'Begin', files: { a: 'a' } }))
  const at = `/projects/${p.id}`
  const { visitor, ...me } = await signedIn(w)
  await w.member(p.namespaceId, me, 30)
  const place = `/${p.fullPath}/-/environments`
  expect((await visitor.get(place, BROWSER)).text).toContain('There is no environment.')
  const external_url = 'https://example.com/"><script>'
  const { body: made } = await p.maintainer.post(`${at}/environments`, {
    name: 'staging',
    description: '*Where* we look',
  })
  expect((await p.maintainer.put(`${at}/environments/${made.id}`, { external_url })).status).toBeLessThan(500)
  const { body: commit } = await p.developer.get(`${at}/repository/commits/main`)
  for (const status of ['success', 'failed']) {
    const deployment = { environment: 'staging', sha: commit.id, ref: 'main', tag: false, status }
    expect((await p.developer.post(`${at}/deployments`, deployment)).status).toBe(201)
  }
  const list = await visitor.get(place, BROWSER)
  expect(list.text).toContain(`href="${place}/${made.id}"`)
  expect(list.text).toContain(commit.id.slice(0, 8))
  expect(list.text).not.toContain('<script>')
  expect((await visitor.get(`${place}?states=stopped`, BROWSER)).text).not.toContain('staging')
  const one = await visitor.get(`${place}/${made.id}`, BROWSER)
  expect(one.text).toContain('<em>Where</em>')
  expect(one.text.match(/class="ci (good|bad)">(?:Deployed|Failed)/g)).toHaveLength(2)
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [place, `${place}/${made.id}`])
    expect([path, saidIn(await stranger.get(path))]).toEqual([path, saidIn(missing)])
  expect((await visitor.get(`${place}/${made.id + 1}`, BROWSER)).status).toBe(404)
})

test('developers make, change, stop and delete environments', async () => {
  const p = await w.project({ visibility: 'public' })
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  const list = `/${p.fullPath}/-/environments`
  const at = `/projects/${p.id}/environments`
  const made = await submit(developer.visitor, `${list}/new`, 'make', {
    name: 'staging',
    external_url: '',
  })
  const one = made.headers.location ?? ''
  await submit(developer.visitor, one, 'save', {
    external_url: 'https://staging.example.com',
    tier: 'testing',
  })
  expect((await p.owner.get(at)).body).toMatchObject([
    { name: 'staging', tier: 'testing', external_url: 'https://staging.example.com' },
  ])
  const wrong = await submit(developer.visitor, one, 'save', { external_url: 'javascript:alert(1)' })
  expect([wrong.status, wrong.text.includes('id="save-external_url-problem"')]).toEqual([400, true])
  await submit(developer.visitor, one, 'stop')
  expect((await submit(developer.visitor, one, 'delete')).headers.location).toBe(list)
  expect((await p.owner.get(at)).body).toEqual([])
})
