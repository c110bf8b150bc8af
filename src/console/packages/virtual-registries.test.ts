import { expect, test } from 'vitest'
import {
  makeRegistry,
  makeUpstream,
  own,
  withVirtualRegistries,
} from '#registries/virtual-registries/test-support.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { saidIn } from '../test-support.ts'

withVirtualRegistries()

test('virtual registries of a group, for its members', async () => {
  const group = await own.group()
  const place = `/groups/${group.fullPath}/-/virtual_registries`
  const headers = { accept: 'text/html' }
  const { visitor, ...me } = await signedIn(own)
  await own.member(group.id, me, 30)
  expect((await visitor.get(place, headers)).text).toContain('There is no virtual registry.')
  const registry = await makeRegistry(group.maintainer, group)
  await makeUpstream(group.maintainer, registry, { name: '<b>Hub</b>' })
  const { text } = await visitor.get(place, headers)
  expect(text).toContain(
    `docker pull ${new URL(own.url).host}/virtual_registries/container/${registry.id}/IMAGE`,
  )
  expect(text).toContain('&lt;b&gt;Hub&lt;/b&gt;')
  const stranger = new Visitor(own.url, { headers })
  expect(saidIn(await stranger.get(place))).toBe(saidIn(await stranger.get('/nobody/nothing')))
})
