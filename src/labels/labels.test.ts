import { describe, expect, test } from 'vitest'
import { w } from '../../test/world.ts'

describe('POST /projects/:id/labels', () => {
  test('makes a label', async () => {
    const { id, reporter } = await w.project()
    const { status, body } = await reporter.post(`/projects/${id}/labels`, { name: 'bug', color: '#d9534f' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'bug',
      color: '#d9534f',
      text_color: '#FFFFFF',
      is_project_label: true,
    })
  })

  test('refuses a guest with 403 and a stranger with 404', async () => {
    const { id, guest, stranger } = await w.project()
    expect((await guest.post(`/projects/${id}/labels`, { name: 'bug', color: 'red' })).status).toBe(403)
    expect((await stranger.post(`/projects/${id}/labels`, { name: 'bug', color: 'red' })).status).toBe(404)
  })
})
