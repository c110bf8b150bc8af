import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { onPremium, own, withEpic } from './test-support.ts'

onPremium()

test('texts name epics for those who may read them: by a user, and while the plan has them', async () => {
  const g = await withEpic({ visibility: 'public' }, { title: 'Grow' })
  const secret = (await g.planner.post(g.collection, { title: 'Secret', confidential: true })).body
  const p = await own.project({ parent: g.id, visibility: 'public' })
  const text = `&${g.epic.iid} ${g.fullPath}&${g.epic.iid} &${secret.iid}`
  const titles = async (by: Client) => {
    const { body } = await by.post('/markdown', { text, gfm: true, project: p.fullPath })
    return [
      ...body.html.matchAll(/href="([^"]*)" class="gfm" data-reference-type="epic" title="([^"]*)"/g),
    ].map(([, href, title]) => [href, title])
  }
  const grow = [g.epic.web_url, 'Grow']
  expect(await titles(g.stranger)).toEqual([grow, grow])
  expect(await titles(g.planner)).toEqual([grow, grow, [secret.web_url, 'Secret']])
  expect(await titles(g.anonymous)).toEqual([])
  const free = await own.another(undefined, {}, 'free')
  expect(await titles(new Client(free.url, { 'private-token': g.owner.token }))).toEqual([])
  await free.stop()
})
