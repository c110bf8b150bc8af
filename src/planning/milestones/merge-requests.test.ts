import { expect, test } from 'vitest'
import { unique, w } from '../../../test/world.ts'

test('lists of merge requests of milestones are empty, before there are any', async () => {
  const p = await w.project({ visibility: 'public' })
  for (const place of [`/projects/${p.id}`, `/groups/${p.groupId}`]) {
    const { body: milestone } = await w.root.post(`${place}/milestones`, { title: unique('milestone') })
    const path = `${place}/milestones/${milestone.id}/merge_requests`
    const { status, body, headers } = await p.anonymous.get(path)
    expect([status, body, headers.get('x-total')]).toEqual([200, [], '0'])
    expect((await w.root.get(`${place}/milestones/999999999/merge_requests`)).status).toBe(404)
  }
})
