import { expect, test } from 'vitest'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { picture } from '#test/alerts.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { saidIn } from '../test-support.ts'

const BROWSER = { accept: 'text/html' }
const stranger = new Visitor(w.url, { headers: BROWSER })

async function memberOf({ namespaceId }: { readonly namespaceId: number }) {
  const { visitor, ...me } = await signedIn(w)
  await w.member(namespaceId, me, 30)
  return async (path: string) => visitor.get(path, BROWSER)
}

test('alerts: those that wait for somebody, and each with what was sent and said', async () => {
  const p = await monitored()
  const read = await memberOf(p)
  const place = `/${p.fullPath}/-/alert_management`
  expect((await read(place)).text).toContain('No alert waits for somebody.')
  await p.send({
    title: 'Disk <b>full</b>',
    severity: 'high',
    hosts: ['db-1'],
    runbook: 'javascript:alert(1)',
  })
  await p.send({ title: 'Is over' })
  const alerts = await p.alerts()
  const full = alerts.find(({ title }) => title.startsWith('Disk'))
  const over = alerts.find(({ title }) => title === 'Is over')
  const api = `/projects/${p.id}/alert_management_alerts`
  await p.developer.put(`${api}/${over.iid}`, { status: 'resolved' })
  await p.developer.post(`${api}/${full.iid}/notes`, { body: 'On it, **now**' })
  const form = picture({ url: 'https://grafana.example.com/d/1', url_text: 'The <i>load</i>' })
  const { body: image } = await p.developer.send('POST', `${api}/${full.iid}/metric_images`, { form })
  const list = (await read(place)).text
  expect(list).toContain('Disk &lt;b&gt;full&lt;/b&gt;')
  expect(list).not.toContain('Is over')
  expect((await read(`${place}?status=`)).text).toContain('Is over')
  expect((await read(`${place}?status=triggered&severity=low`)).text).toContain('No alert fits')
  const details = new URL(full.web_url).pathname
  const shown = (await read(details)).text
  expect(shown).toContain('db-1')
  expect(shown).toContain('<strong>now</strong>')
  expect(shown).not.toContain('href="javascript:')
  expect(shown).toContain(`<img src="${image.file_path}" alt="load.png" loading="lazy" />`)
  expect(shown).toContain('>The &lt;i&gt;load&lt;/i&gt;</a>')
  expect((await read(image.file_path)).headers['content-type']).toBe('image/png')
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [place, details]) expect(saidIn(await stranger.get(path))).toBe(saidIn(missing))
  expect((await read(`${place}/999/details`)).status).toBe(404)
})

test('incidents are the issues of that type', async () => {
  const p = await w.project({ visibility: 'public' })
  const at = `/projects/${p.id}/issues`
  await p.developer.post(at, { title: 'Plain' })
  await p.developer.post(at, { title: 'It is down', issue_type: 'incident' })
  const place = `/${p.fullPath}/-`
  const list = (await stranger.get(`${place}/incidents`)).text
  expect([list.includes('It is down'), list.includes('Plain')]).toEqual([true, false])
  expect((await stranger.get(`${place}/issues/incident/2`)).text).toContain('It is down')
  expect((await stranger.get(`${place}/issues/incident/3`)).status).toBe(404)
})

test('errors with the stack trace of the latest event', async () => {
  const p = await tracked(w)
  await p.report(failure('<i>x</i> is undefined', { release: 'app@1.0' }))
  await p.expectErrors([{ events_count: 1 }])
  const read = await memberOf(p)
  const place = `/${p.fullPath}/-/error_tracking`
  const list = (await read(place)).text
  expect(list).toContain('&lt;i&gt;x&lt;/i&gt; is undefined')
  const details = /href="([^"]+\/error_tracking\/\d+\/details)"/.exec(list)?.[1] ?? ''
  const shown = (await read(details)).text
  expect(shown).toContain('/app/src/pay.js:12')
  expect(shown).toContain('app@1.0')
  expect((await read(`${place}?status=resolved`)).text).toContain('No error fits')
  expect((await read(`${place}?status=none`)).status).toBe(400)
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [place, details]) expect(saidIn(await stranger.get(path))).toBe(saidIn(missing))
})
