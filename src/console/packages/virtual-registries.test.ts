import { expect, test } from 'vitest'
import {
  makeRegistry,
  makeUpstream,
  own,
  withVirtualRegistries,
} from '#registries/virtual-registries/test-support.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { formsIn, HERE, saidIn, submit } from '../test-support.ts'

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

test('maintainers make, change, test, purge and delete virtual registries and upstreams', async () => {
  const group = await own.group()
  const place = `/groups/${group.fullPath}/-/virtual_registries`
  const { visitor, ...me } = await signedIn(own)
  await own.member(group.id, me, 40)
  const api = `/groups/${group.id}/-/virtual_registries/container`
  const list = async (what: 'registries' | 'upstreams') => (await group.maintainer.get(`${api}/${what}`)).body
  await submit(visitor, place, 'make-registry', { name: 'Images', description: '' })
  const [registry] = await list('registries')
  await submit(visitor, place, `save-registry/${registry.id}`, { name: 'Pictures', description: 'Of all' })
  expect(await list('registries')).toMatchObject([{ name: 'Pictures', description: 'Of all' }])
  const given = { name: 'Hub', url: 'https://9.9.9.9/hub', cache_validity_hours: '12' }
  await submit(visitor, place, `add-upstream/${registry.id}`, {
    ...given,
    username: 'ada',
    password: 'secret',
  })
  const [upstream] = await list('upstreams')
  expect(upstream).toMatchObject({ name: 'Hub', username: 'ada', cache_validity_hours: 12 })
  const change = (fields: Record<string, string>) =>
    submit(visitor, place, `save-upstream/${upstream.id}`, { ...given, ...fields })
  await change({ name: 'Dock', username: '', password: '', anonymous: 'false' })
  expect(await list('upstreams')).toMatchObject([{ name: 'Dock', username: 'ada' }])
  const alone = await change({ username: 'other', password: '' })
  expect([alone.status, alone.text.includes('role="alert"') || alone.text.includes('-problem"')]).toEqual([
    400,
    true,
  ])
  await change({ anonymous: 'true', username: '', password: '' })
  expect(await list('upstreams')).toMatchObject([{ username: null }])
  const wrong = await change({ url: 'no address' })
  expect([wrong.status, wrong.text.includes('-url-problem"')]).toEqual([400, true])
  await submit(visitor, place, `purge-upstream/${upstream.id}`)
  await submit(visitor, place, `purge-registry/${registry.id}`)
  await submit(visitor, place, `delete-upstream/${upstream.id}`)
  expect(await list('upstreams')).toEqual([])
  await submit(visitor, place, `delete-registry/${registry.id}`)
  expect(await list('registries')).toEqual([])
  const developer = await signedIn(own)
  await own.member(group.id, developer, 30)
  expect(formsIn((await developer.visitor.get(place, HERE)).text)).toEqual([])
})
