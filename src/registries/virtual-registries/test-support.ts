import { afterAll, beforeAll } from 'vitest'
import type { Client } from '../../../test/client.ts'
import { openWorld, unique, type World } from '../../../test/world.ts'

/** A server with the plan and the feature flag that virtual registries need. */
export let own: World

/** Opens that server for the tests of a file. It may reach this machine if the tests need upstreams on it. */
export function withVirtualRegistries({ local = false } = {}): void {
  beforeAll(async () => {
    own = await openWorld(undefined, 'premium')
    await own.root.post('/features/container_virtual_registries', { value: true })
    if (local)
      await own.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  })
  afterAll(() => own.running.stop())
}

const base = '/virtual_registries/container'
export const registryPath = ({ id }: { id: number }) => `${base}/registries/${id}`
export const upstreamPath = ({ id }: { id: number }) => `${base}/upstreams/${id}`
export const associationPath = ({ id }: { id: number }) => `${base}/registry_upstreams/${id}`
export const ofGroup = ({ id }: { id: number }, rest = 'registries') =>
  `/groups/${id}/-/virtual_registries/container/${rest}`

/** A URL that no other upstream has; nothing is looked up for it, and nobody asks it. */
export const aUrl = () => `https://9.9.9.9/${unique('registry')}`

async function made(by: Client, path: string, json: object) {
  const { status, body, text } = await by.post(path, json)
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
  return body
}

export const makeRegistry = (by: Client, group: { id: number }) =>
  made(by, ofGroup(group), { name: unique('Registry') })

export const makeUpstream = (by: Client, registry: { id: number }, upstream: object = {}) =>
  made(by, `${registryPath(registry)}/upstreams`, { url: aUrl(), name: unique('Upstream'), ...upstream })

/** A group with a registry and some upstreams. */
export async function withUpstreams(count: number) {
  const group = await own.group()
  const registry = await makeRegistry(group.maintainer, group)
  const upstreams = []
  for (let at = 0; at < count; at += 1) upstreams.push(await makeUpstream(group.maintainer, registry))
  return { group, by: group.maintainer, registry, upstreams }
}

/** The ids of a registry's upstreams in their order, with their positions. */
export async function orderOf(by: Client, registry: { id: number }): Promise<(readonly [number, number])[]> {
  const { body } = await by.get(`${registryPath(registry)}/upstreams`)
  return body.map((one: { id: number; registry_upstream: { position: number } }) => [
    one.id,
    one.registry_upstream.position,
  ])
}
