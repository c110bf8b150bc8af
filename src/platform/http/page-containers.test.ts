import { expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const HERE = { accept: 'text/html' }

test('a page looks its project up once for all that it asks', async () => {
  const p = await w.project({ visibility: 'private' })
  const ada = await signedIn(w)
  await w.member(p.namespaceId, ada, levels.maintainer)
  const visit = async () =>
    expect((await ada.visitor.get(`/${p.fullPath}/-/settings/ci_cd`, HERE)).status).toBe(200)
  await visit()
  const lookUps = (await w.statements(visit)).filter((text) => text.includes('as "reads_below"'))
  expect(lookUps).toHaveLength(1)
})

test('what a page looked up for one visitor, another is not given', async () => {
  const p = await w.project({ visibility: 'private' })
  const [ada, ben] = [await signedIn(w), await signedIn(w)]
  await w.member(p.namespaceId, ada, levels.maintainer)
  const statuses = await Promise.all(
    [ada, ben, ada, ben].map(async ({ visitor }) => (await visitor.get(`/${p.fullPath}`, HERE)).status),
  )
  expect(statuses).toEqual([200, 404, 200, 404])
})
