import { expect, test } from 'vitest'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

test('developers acknowledge, take, discuss, resolve and reopen an alert', async () => {
  const p = await monitored()
  const { visitor, ...developer } = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  await p.send({ title: 'Disk full' })
  const [alert] = await p.alerts()
  const page = new URL(alert.web_url).pathname
  const now = async () => (await p.alerts())[0]
  await submit(visitor, page, 'acknowledged')
  await submit(visitor, page, 'take')
  expect(await now()).toMatchObject({ status: 'acknowledged', assignees: [{ id: developer.id }] })
  await submit(visitor, page, 'comment', { body: 'I am at it' })
  expect((await now()).user_notes_count).toBe(1)
  await submit(visitor, page, 'resolved')
  expect((await now()).status).toBe('resolved')
  await submit(visitor, page, 'triggered')
  expect((await now()).status).toBe('triggered')
  await submit(visitor, page, 'incident')
  await expect.poll(async () => (await now()).issue_iid).toBe(1)
  const { text } = await visitor.get(page, HERE)
  expect(text).toContain('issues/incident/1')
  expect(formsIn(text)).not.toContain('incident')
})

test('maintainers make, try, switch, rekey and delete integrations, whose keys are shown once', async () => {
  const p = await w.project()
  const { visitor, ...maintainer } = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const page = `/${p.fullPath}/-/settings/operations`
  const integrations = async () =>
    (await p.maintainer.get(`/projects/${p.id}/alert_management/integrations`)).body
  const made = await submit(visitor, page, 'add-integration', {
    name: '<b>Tool</b>',
    type: 'generic',
    preset: '',
  })
  const [one] = await integrations()
  expect([made.status, made.text.includes(one.authorization_key)]).toEqual([200, true])
  expect(made.text).toContain('&lt;b&gt;Tool')
  const { text } = await visitor.get(page, HERE)
  expect(text).toContain(one.url)
  expect(text).not.toContain(one.authorization_key)
  expect(text).not.toContain('/mapping')
  await submit(visitor, page, `test-integration/${one.id}`)
  const alerts = `/projects/${p.id}/alert_management_alerts`
  expect((await p.developer.get(alerts)).body).toMatchObject([{ title: 'Test alert' }])
  const again = await submit(visitor, page, `reset-integration/${one.id}`)
  const [changed] = await integrations()
  expect(changed.authorization_key).not.toBe(one.authorization_key)
  expect(again.text).toContain(changed.authorization_key)
  await submit(visitor, page, `switch-integration/${one.id}`, { active: 'false' })
  expect(await integrations()).toMatchObject([{ active: false }])
  expect(formsIn((await visitor.get(page, HERE)).text)).not.toContain(`test-integration/${one.id}`)
  const second = await submit(visitor, page, 'add-integration', { name: 'Other', type: 'generic' })
  expect([second.status, second.text.includes('role="alert"')]).toEqual([403, true])
  await submit(visitor, page, `delete-integration/${one.id}`)
  expect(await integrations()).toEqual([])
  await submit(visitor, page, 'save-alerts', { create_incident: 'true', incident_template: '' })
  expect((await p.maintainer.get(`/projects/${p.id}/alert_management/settings`)).body).toMatchObject({
    create_incident: true,
    incident_template: null,
  })
})

test('maintainers switch error tracking on, and make and delete client keys; others see nothing', async () => {
  const p = await w.project()
  const { visitor, ...maintainer } = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const page = `/${p.fullPath}/-/settings/operations`
  const at = `/projects/${p.id}/error_tracking`
  await submit(visitor, page, 'save-tracking', { active: 'true', scrub_personal_data: 'true' })
  expect((await p.maintainer.get(`${at}/settings`)).body).toMatchObject({
    active: true,
    integrated: true,
    scrub_personal_data: true,
  })
  await submit(visitor, page, 'add-client-key')
  const [key] = (await p.maintainer.get(`${at}/client_keys`)).body
  expect((await visitor.get(page, HERE)).text).toContain(key.tracker_dsn)
  await submit(visitor, page, `delete-client-key/${key.id}`)
  expect((await p.maintainer.get(`${at}/client_keys`)).body).toEqual([])
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  expect((await developer.visitor.get(page, HERE)).status).toBe(404)
})

test('developers resolve, ignore, reopen and link an error', async () => {
  const p = await tracked(w)
  await p.report(failure())
  await p.expectErrors([{ status: 'unresolved' }])
  const [error] = await p.errors()
  const page = `/${p.fullPath}/-/error_tracking/${error.id}/details`
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  const { visitor } = developer
  const now = async () => (await p.developer.get(`/projects/${p.id}/error_tracking/errors/${error.id}`)).body
  await submit(visitor, page, 'resolved', { resolved_in_release: 'app@2' })
  expect(await now()).toMatchObject({ status: 'resolved', resolved_in_release: 'app@2' })
  await submit(visitor, page, 'unresolved')
  await submit(visitor, page, 'ignored')
  expect((await now()).status).toBe('ignored')
  const issue = (await p.developer.post(`/projects/${p.id}/issues`, { title: 'It fails' })).body
  await submit(visitor, page, 'link', { issue_iid: String(issue.iid) })
  expect((await now()).issue).toMatchObject({ iid: issue.iid })
  const wrong = await submit(visitor, page, 'link', { issue_iid: '99' })
  expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([404, true])
  await submit(visitor, page, 'link', { issue_iid: '' })
  expect((await now()).issue).toBe(null)
  const reporter = await signedIn(w)
  await w.member(p.namespaceId, reporter, 20)
  expect(formsIn((await reporter.visitor.get(page, HERE)).text)).toEqual([])
})
