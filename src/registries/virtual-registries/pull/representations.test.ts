import { describe, expect, test } from 'vitest'
import { always, DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from '#test/fake-registry.ts'
import { withVirtualRegistries } from '../test-support.ts'
import { age, closingRegistries, virtual } from './test-support.ts'

// Clients accept different media types, and in another order. What one of them got is good for the others.

withVirtualRegistries({ local: true })
closingRegistries()

const SIGNED = 'application/vnd.docker.distribution.manifest.v1+prettyjws'
const SCHEMA1 = 'application/vnd.docker.distribution.manifest.v1+json'
const ARTIFACT = 'application/vnd.oci.artifact.manifest.v1+json'
/** What clients send as `Accept`, by their public sources. */
const clients = {
  containerd: [DOCKER_MANIFEST, DOCKER_LIST, OCI_MANIFEST, OCI_INDEX, '*/*'],
  'skopeo and podman': [OCI_MANIFEST, DOCKER_MANIFEST, SIGNED, SCHEMA1, DOCKER_LIST, OCI_INDEX],
  crane: [SCHEMA1, SIGNED, DOCKER_MANIFEST, OCI_MANIFEST, DOCKER_LIST, OCI_INDEX],
  oras: [DOCKER_MANIFEST, DOCKER_LIST, OCI_MANIFEST, OCI_INDEX, ARTIFACT],
  regctl: [OCI_INDEX, DOCKER_LIST, OCI_MANIFEST, DOCKER_MANIFEST, ARTIFACT],
  'one that sends nothing': [],
} as const
const headersOf = (types: readonly string[]) => (types.length === 0 ? {} : { accept: types.join(', ') })
const pairs = Object.entries(clients).flatMap(([one, types]) =>
  Object.entries(clients).flatMap(([other, others]) =>
    one === other ? [] : [[one, other, headersOf(types), headersOf(others)] as const],
  ),
)

test.each(pairs)('what %s got is served to %s while the upstream is down', async (_, __, first, then) => {
  const { source, pull, upstreams } = await virtual()
  const index = source.manifest('a', 'index', { schemaVersion: 2, manifests: [] }, OCI_INDEX)
  const single = source.manifest('a', 'single', { schemaVersion: 2, layers: [] }, DOCKER_MANIFEST)
  for (const tag of ['index', 'single']) expect((await pull(`a/manifests/${tag}`, first)).status).toBe(200)
  source.behave = always(503)
  const answers = async () => {
    const all = [await pull('a/manifests/index', then), await pull('a/manifests/single', then)]
    return all.map(({ status, bytes }) => [status, bytes])
  }
  const kept = [
    [200, index.bytes],
    [200, single.bytes],
  ]
  expect(await answers()).toEqual(kept)
  await age(upstreams)
  expect(await answers()).toEqual(kept)
})

describe('another representation', () => {
  test('is got from the upstream when that answers, and what is kept of the first one stays', async () => {
    const { source, pull } = await virtual()
    const index = source.manifest('a', undefined, { schemaVersion: 2, manifests: [] }, OCI_INDEX)
    const single = source.manifest('a', undefined, { schemaVersion: 2, layers: [] }, OCI_MANIFEST)
    source.behave = (request, response) => {
      const chosen = request.headers.accept?.includes(OCI_INDEX) === true ? index : single
      const type = chosen === index ? OCI_INDEX : OCI_MANIFEST
      return always(200, { 'content-type': type }, chosen.bytes)(request, response)
    }
    const one = { accept: OCI_MANIFEST }
    expect((await pull('a/manifests/v1', one)).bytes).toEqual(single.bytes)
    expect((await pull('a/manifests/v1', headersOf(clients.crane))).bytes).toEqual(index.bytes)
    source.behave = always(503)
    const answer = await pull('a/manifests/v1', { accept: `${OCI_MANIFEST}, ${DOCKER_MANIFEST}` })
    expect([answer.status, answer.bytes, answer.headers.get('x-virtual-registry-cache')]).toEqual([
      200,
      single.bytes,
      'stale',
    ])
    expect(answer.headers.get('warning')).toMatch(/^110 /)
  })

  test('that the client does not accept is not served', async () => {
    const { source, pull } = await virtual()
    source.manifest('a', 'v1', { schemaVersion: 2, manifests: [] }, OCI_INDEX)
    await pull('a/manifests/v1', headersOf(clients.containerd))
    source.behave = always(503)
    expect((await pull('a/manifests/v1', { accept: DOCKER_MANIFEST })).status).toBe(503)
  })

  test('is asked for with as many types as are kept, however many a client sends', async () => {
    const { source, pull } = await virtual()
    const { bytes } = source.manifest('a', 'v1', { schemaVersion: 2, manifests: [] }, OCI_INDEX)
    const many = Array.from({ length: 40 }, (__, at) => `application/${'x'.repeat(60)}${at}`)
    const answer = await pull('a/manifests/v1', { accept: [...many, '*/*'].join(', ') })
    expect([answer.status, answer.bytes]).toEqual([200, bytes])
  })
})
