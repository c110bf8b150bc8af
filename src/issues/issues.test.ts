import { describe, expect, test } from 'vitest'
import { w } from '../../test/world.ts'

describe('POST /projects/:id/issues', () => {
  test('opens an issue with every field of the resource', async () => {
    const p = await w.project()
    const { status, body } = await p.reporter.post(`/projects/${p.id}/issues`, {
      title: 'It breaks',
      description: '- [x] one\n- [ ] two',
      labels: 'bug,urgent',
      assignee_ids: [p.developer.id],
      due_date: '2026-12-01',
      confidential: true,
    })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        iid: 1,
        project_id: p.id,
        title: 'It breaks',
        state: 'opened',
        labels: ['bug', 'urgent'],
        assignee: { id: p.developer.id },
        task_status: '1 of 2 checklist items completed',
        references: { short: '#1', relative: '#1', full: `${p.fullPath}#1` },
        subscribed: true,
      },
    })
    const closed = await p.reporter.put(`/projects/${p.id}/issues/1`, {
      title: 'New',
      state_event: 'close',
      assignee_ids: '',
      remove_labels: 'bug',
      due_date: '',
    })
    expect(closed.body).toMatchObject({
      state: 'closed',
      labels: ['urgent'],
      assignees: [],
      due_date: null,
      closed_by: { id: p.reporter.id },
    })
    const { rows } = await w.running.services.pool.query(
      `select body from notes x join issues i on i.id = x.issue_id where i.project_id = ${p.id} order by x.id`,
    )
    expect(rows).toEqual([
      { body: 'changed title from **It breaks** to **New**' },
      { body: `unassigned @${p.developer.username}` },
      { body: 'removed due date' },
    ])
    expect((await p.guest.get(`/projects/${p.id}/issues/1`)).status).toBe(404)
    expect((await p.owner.delete(`/projects/${p.id}/issues/1`)).status).toBe(204)
  })
})
