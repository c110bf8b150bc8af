import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/client.ts'
import { w } from '../../../test/world.ts'

describe('lists of merge requests, before there are any', () => {
  const expectEmpty = async (by: Client, path: string) => {
    const { status, body, headers } = await by.get(`${path}?per_page=5`)
    const paging = ['x-total', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page']
    expect({ status, body, paging: paging.map((name) => headers.get(name)) }).toEqual({
      status: 200,
      body: [],
      paging: ['0', '1', '1', '5', '', ''],
    })
    expect(headers.get('link')).toMatch(/per_page=5&page=1>; rel="first"/)
  }

  test('are empty for issues, to whoever may read them', async () => {
    const p = await w.project({ visibility: 'public' })
    const issues = `/projects/${p.id}/issues`
    const { body: open } = await p.guest.post(issues, { title: 'Open' })
    const { body: hidden } = await p.guest.post(issues, { title: 'Hidden', confidential: true })
    for (const list of ['related_merge_requests', 'closed_by']) {
      await expectEmpty(p.anonymous, `${issues}/${open.iid}/${list}`)
      await expectEmpty(p.guest, `${issues}/${hidden.iid}/${list}`)
      for (const path of [`${issues}/${hidden.iid}/${list}`, `${issues}/999/${list}`])
        expect(await p.stranger.get(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
  })
})
