import { describe, expect, test } from 'vitest'
import { onPremium, own } from '#planning/epics/test-support.ts'

onPremium()

describe('commands in descriptions', () => {
  const places = [
    {
      kind: 'issues',
      make: async () => {
        const p = await own.project()
        return { ...p, list: `/projects/${p.id}/issues`, labels: `/projects/${p.id}/labels` }
      },
    },
    {
      kind: 'epics',
      make: async () => {
        const p = await own.group()
        return { ...p, list: `/groups/${p.id}/epics`, labels: `/groups/${p.id}/labels` }
      },
    },
  ]

  test.each(places)('of new $kind are applied and taken out of the text', async ({ make }) => {
    const p = await make()
    await p.owner.post(p.labels, { name: 'bug', color: 'red' })
    const description = 'It breaks.\n\n/label ~bug\n/confidential\n/label ~gone\n```\n/close\n```'
    const { status, body } = await p.planner.post(p.list, { title: 'One', description })
    expect([status, body]).toMatchObject([
      201,
      {
        description: 'It breaks.\n\n```\n/close\n```',
        labels: ['bug'],
        confidential: true,
        state: 'opened',
      },
    ])
    const only = await p.planner.post(p.list, { title: 'Two', description: '/close' })
    expect(only.body).toMatchObject({ description: '', state: 'closed' })
  })

  test.each(places)('of $kind are applied when the description changes, and only then', async ({ make }) => {
    const p = await make()
    await p.owner.post(p.labels, { name: 'bug', color: 'red' })
    const { body: made } = await p.planner.post(p.list, { title: 'One', description: 'Text' })
    const one = `${p.list}/${made.iid}`
    const changed = await p.planner.put(one, { description: 'Other\n/label ~bug\n/title Two' })
    expect(changed.body).toMatchObject({ description: 'Other', labels: ['bug'], title: 'Two' })
    const table = p.list.endsWith('epics') ? 'epics' : 'issues'
    await own.db.updateTable(table).set({ description: 'Old\n/close' }).where('id', '=', made.id).execute()
    const same = await p.planner.put(one, { description: 'Old\n/close', title: 'Three' })
    expect(same.body).toMatchObject({ description: 'Old\n/close', title: 'Three', state: 'opened' })
  })

  test('need the rights that they need in notes', async () => {
    const p = await own.project({ visibility: 'public' })
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'bug', color: 'red' })
    const description = 'Help\n/label ~bug\n/title Mine\n/assign me'
    const { status, body } = await p.stranger.post(`/projects/${p.id}/issues`, { title: 'One', description })
    expect([status, body]).toMatchObject([
      201,
      { description: 'Help', labels: [], title: 'Mine', assignees: [] },
    ])
  })

  test('put a new epic below another one, and link a new issue', async () => {
    const g = await own.group()
    const epics = `/groups/${g.id}/epics`
    const { body: parent } = await g.planner.post(epics, { title: 'Parent' })
    const { body: child } = await g.planner.post(epics, { title: 'Child', description: '/parent_epic &1' })
    expect(child.parent_id).toBe(parent.id)
    const p = await own.project({ parent: g.id })
    const issues = `/projects/${p.id}/issues`
    await p.planner.post(issues, { title: 'One' })
    const { body } = await p.planner.post(issues, { title: 'Two', description: '/relate #1' })
    expect((await p.planner.get(`${issues}/${body.iid}/links`)).body).toMatchObject([{ iid: 1 }])
  })
})
