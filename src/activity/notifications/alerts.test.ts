import { expect, test } from 'vitest'
import { w } from '#test/mail-world.ts'
import { Client } from '#test/client.ts'
import { mailsOf, subjectsOf } from './test-support.ts'

test('who watches a project is told of its alerts, if its settings let mails tell of them', async () => {
  const p = await w.project()
  for (const who of [p.developer, p.reporter])
    await who.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
  const { body } = await p.maintainer.post(`/projects/${p.id}/alert_management/integrations`, {
    name: 'Tool',
  })
  const tool = new Client(w.url, { authorization: `Bearer ${body.authorization_key}` })
  const name = p.fullPath.split('/').at(-1)
  await tool.post(body.url, { title: 'Disk full', description: 'Only 3 % left', fingerprint: 'disk' })
  expect(await subjectsOf(p.developer)).toEqual([`${name} | Disk full (^alert#1)`])
  const [mail] = await mailsOf(p.developer)
  expect(mail?.text).toContain('An alert was reported. Its severity is critical.\n\nOnly 3 % left')
  expect(mail?.text).toContain(`${p.fullPath}/-/alert_management/1/details`)
  // A further report is counted, and nobody gets a mail of it.
  await tool.post(body.url, { title: 'Disk full', fingerprint: 'disk' })
  await tool.post(body.url, { fingerprint: 'disk', end_time: '2026-01-31T10:00:00Z' })
  expect(await subjectsOf(p.developer)).toEqual([
    `${name} | Disk full (^alert#1)`,
    `Re: ${name} | Disk full (^alert#1)`,
  ])
  await p.maintainer.put(`/projects/${p.id}/alert_management/settings`, { send_email: false })
  await tool.post(body.url, { title: 'Silent' })
  expect((await subjectsOf(p.developer)).length).toBe(2)
  // Who may not read alerts hears nothing of them.
  expect(await subjectsOf(p.reporter)).toEqual([])
  await p.maintainer.put(`/projects/${p.id}/alert_management_alerts/2`, { assignee_ids: [p.developer.id] })
  expect((await subjectsOf(p.developer)).at(-1)).toBe(`Re: ${name} | Silent (^alert#2)`)
})
