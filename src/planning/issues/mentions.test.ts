import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

type ProjectPlace = Awaited<ReturnType<typeof w.project>>

/** Opens an issue and says where it is. */
async function open(place: ProjectPlace, given: object, by: Client = place.owner): Promise<string> {
  const { status, body } = await by.post(`/projects/${place.id}/issues`, { title: 'An issue', ...given })
  expect({ status, body }).toMatchObject({ status: 201 })
  return `/projects/${place.id}/issues/${body.iid}`
}

async function records(by: Client, issue: string): Promise<string[]> {
  const { body } = await by.get(`${issue}/notes?sort=asc`)
  return body.filter(({ system }: { system: boolean }) => system).map((note: { body: string }) => note.body)
}

describe('an issue that is referred to', () => {
  test('hears of it from descriptions, titles and notes, once for each issue', async () => {
    const place = await w.project()
    const target = await open(place, {})
    await open(place, { description: 'Like #1, and #1 again' })
    await open(place, { title: 'After #1' })
    const third = await open(place, {})
    await place.developer.post(`${third}/notes`, { body: 'See #1' })
    await place.developer.post(`${third}/notes`, { body: 'And #1' })
    expect(await records(place.owner, target)).toEqual([
      'mentioned in issue #2',
      'mentioned in issue #3',
      'mentioned in issue #4',
    ])
  })

  test('hears of it when a description or a note is changed', async () => {
    const place = await w.project()
    const target = await open(place, {})
    const second = await open(place, {})
    const third = await open(place, {})
    await place.owner.put(second, { description: 'See #1' })
    const { body } = await place.owner.post(`${third}/notes`, { body: 'Hm' })
    await place.owner.put(`${third}/notes/${body.id}`, { body: 'See #1' })
    expect(await records(place.owner, target)).toEqual(['mentioned in issue #2', 'mentioned in issue #3'])
  })

  test('of another project hears the whole reference, by path and by URL', async () => {
    const [here, there] = [await w.project(), await w.project()]
    await w.member(there.namespaceId, here.owner, 30)
    const target = await open(there, {})
    await open(here, { description: `See ${there.fullPath}#1` })
    await open(here, { description: `See ${w.url}/${there.fullPath}/-/issues/1` })
    const wanted = [`mentioned in issue ${here.fullPath}#1`, `mentioned in issue ${here.fullPath}#2`]
    expect(await records(here.owner, target)).toEqual(wanted)
  })

  test('says so only to those who may see what mentions it, in rows and in totals', async () => {
    const wide = await w.project({ visibility: 'public' })
    const closed = await w.project({ visibility: 'private' })
    await w.member(wide.namespaceId, closed.owner, 30)
    const target = await open(wide, {})
    await open(closed, { description: `See ${wide.fullPath}#1` })
    await open(wide, { description: 'See #1', confidential: true })
    const seen = async (by: Client) => {
      const answer = await by.get(`${target}/notes?sort=asc`)
      return [answer.body.length, Number(answer.headers.get('x-total'))]
    }
    expect(await seen(w.root)).toEqual([2, 2])
    expect(await seen(closed.owner)).toEqual([2, 2])
    expect(await seen(wide.planner)).toEqual([1, 1])
    expect(await seen(wide.guest)).toEqual([0, 0])
    expect(await seen(wide.stranger)).toEqual([0, 0])
  })

  test('hears nothing from writers who may not see it, from internal notes, from code, and from itself', async () => {
    const [here, there] = [await w.project(), await w.project()]
    const target = await open(there, {})
    await open(here, { description: `See ${there.fullPath}#1` })
    expect(await records(there.owner, target)).toEqual([])
    const own = await open(here, { description: 'This is #2' })
    await open(here, { description: '`#2`' })
    const other = await open(here, {})
    await here.owner.post(`${other}/notes`, { body: 'See #2', internal: true })
    expect(await records(here.owner, own)).toEqual([])
  })

  test('forgets it when what mentioned it is deleted', async () => {
    const place = await w.project()
    const target = await open(place, {})
    const second = await open(place, { description: 'See #1' })
    await place.owner.delete(second)
    expect(await records(place.owner, target)).toEqual([])
  })
})

test('two issues that mention each other at the same time do not stand in each other’s way', async () => {
  const place = await w.project()
  const [one, two] = [await open(place, {}), await open(place, {})]
  const changes = Array.from({ length: 20 }, (_, index) => [
    place.owner.put(one, { description: `See #2, ${index}` }),
    place.owner.put(two, { description: `See #1, ${index}` }),
  ]).flat()
  const answers = await Promise.all(changes)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})
