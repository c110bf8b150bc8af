import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  digestOf,
  DOCKER_LIST,
  DOCKER_MANIFEST,
  type FakeRegistry,
  OCI_INDEX,
  OCI_MANIFEST,
} from '#test/fake-registry.ts'
import { own, withVirtualRegistries } from '../test-support.ts'
import { closingRegistries, virtual } from './test-support.ts'

// What the OCI distribution specification demands of registries that are pulled from, a test for each sentence.

withVirtualRegistries({ local: true })
closingRegistries(afterAll)

const LAYER = Buffer.from('0123456789')
const types = [OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_LIST]
const accept = { accept: types.join(', ') }
const none = digestOf('what nobody has')
const sha512 = (bytes: Buffer) => `sha512:${createHash('sha512').update(bytes).digest('hex')}`

let place: Awaited<ReturnType<typeof virtual>>
let source: FakeRegistry
let image: ReturnType<FakeRegistry['image']>
/** A manifest that says what it belongs to; the bytes have spaces that no writer of JSON repeats. */
let attached: { readonly digest: string; readonly bytes: Buffer }
/** What an upstream that has no referrers is asked instead. */
let fallback: { readonly tag: string; readonly bytes: Buffer }
const TAGS = ['1.0', '1.1', 'edge', 'latest']

beforeAll(async () => {
  place = await virtual()
  source = place.source
  image = source.image('team/app', 'v1', LAYER)
  attached = source.manifest(
    'team/app',
    undefined,
    Buffer.from(
      `{ "schemaVersion": 2,\n "mediaType":"${OCI_MANIFEST}", "artifactType": "text/sbom", "unknown": [1,  2], "subject": {"digest": "${image.manifest.digest}"} }\n`,
    ),
  )
  for (const type of types) source.manifest('typed', tagOf(type), { schemaVersion: 2, type }, type)
  source.blobs.set(sha512(LAYER), LAYER)
  source.manifest('a', 't'.repeat(128), { schemaVersion: 2 })
  source.manifest('a__b/c-d/e.f--g', '_x.Y-1', { schemaVersion: 2 })
  source.manifest('large', 'v1', { schemaVersion: 2, annotations: { text: 'x'.repeat(4_000_000) } })
  const tag = image.manifest.digest.replace(':', '-')
  fallback = { tag, ...source.manifest('old', tag, { schemaVersion: 2, manifests: [] }, OCI_INDEX) }
  source.behave = ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://registry')
    const send = (body: object, headers: Record<string, string> = {}) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
      return true
    }
    if (pathname === '/v2/team/app/tags/list') {
      const n = Number(searchParams.get('n') ?? TAGS.length)
      const after = TAGS.filter((one) => one > (searchParams.get('last') ?? ''))
      const tags = after.slice(0, n)
      const next = `</v2/team/app/tags/list?n=${n}&last=${tags.at(-1)}>; rel="next"`
      return send({ name: 'team/app', tags }, after.length > n && n > 0 ? { link: next } : {})
    }
    if (!pathname.startsWith('/v2/team/app/referrers/')) return false
    const all = pathname.endsWith(image.manifest.digest)
      ? [
          {
            mediaType: OCI_MANIFEST,
            digest: attached.digest,
            size: attached.bytes.length,
            artifactType: 'text/sbom',
          },
        ]
      : []
    const wanted = searchParams.get('artifactType')
    const manifests = all.filter((one) => wanted === null || one.artifactType === wanted)
    const filters = wanted === null ? {} : { 'oci-filters-applied': 'artifactType' }
    return send(
      { schemaVersion: 2, mediaType: OCI_INDEX, manifests },
      { 'content-type': OCI_INDEX, ...filters },
    )
  }
})

const tagOf = (type: string) => type.replaceAll(/[^\w]/g, '_')
const base = () => `virtual_registries/container/${place.registry.id}`

/** What a request is answered with; headers that a rule does not name may be there. */
interface Rule {
  readonly method?: 'GET' | 'HEAD'
  readonly path: () => string
  readonly sent?: Record<string, string>
  readonly status: number
  readonly headers?: () => Record<string, unknown>
  readonly body?: () => unknown
  /** The code of the error in the body. */
  readonly code?: string
}

const manifestHeaders = () => ({
  'content-type': OCI_MANIFEST,
  'content-length': String(image.manifest.size),
  'docker-content-digest': image.manifest.digest,
})
const blobHeaders = () => ({
  'content-length': '10',
  'docker-content-digest': image.layer.digest,
})
const layer = () => `team/app/blobs/${image.layer.digest}`

const rules: Readonly<Record<string, readonly [rule: string, is: Rule][]>> = {
  'a manifest': [
    [
      'is got by its tag',
      {
        path: () => 'team/app/manifests/v1',
        status: 200,
        headers: manifestHeaders,
        body: () => image.manifest.bytes,
      },
    ],
    [
      'is got by its digest',
      {
        path: () => `team/app/manifests/${image.manifest.digest}`,
        status: 200,
        headers: manifestHeaders,
        body: () => image.manifest.bytes,
      },
    ],
    [
      'is byte by byte what was pushed, with what nobody here knows',
      {
        path: () => `team/app/manifests/${attached.digest}`,
        status: 200,
        headers: () => ({ 'docker-content-digest': attached.digest }),
        body: () => attached.bytes,
      },
    ],
    ...types.map((type): [string, Rule] => [
      `has the content type that it was pushed with: ${type}`,
      {
        path: () => `typed/manifests/${tagOf(type)}`,
        status: 200,
        headers: () => ({ 'content-type': type }),
      },
    ]),
    [
      'may have four megabytes',
      { path: () => 'large/manifests/v1', status: 200, headers: () => ({ 'content-type': OCI_MANIFEST }) },
    ],
    ['may have a tag of 128 characters', { path: () => `a/manifests/${'t'.repeat(128)}`, status: 200 }],
    [
      'may have a name with several parts and separators, and a tag with any characters of tags',
      { path: () => 'a__b/c-d/e.f--g/manifests/_x.Y-1', status: 200 },
    ],
    ...['t'.repeat(129), '.hidden', '-dash', 'a+b'].map((tag): [string, Rule] => [
      `is not found by what is no tag: ${tag.slice(0, 20)}`,
      { path: () => `team/app/manifests/${tag}`, status: 404, code: 'MANIFEST_UNKNOWN' },
    ]),
    ...['sha256:short', 'v1:v2'].map((digest): [string, Rule] => [
      `is not got by what is no digest: ${digest}`,
      { path: () => `team/app/manifests/${digest}`, status: 400, code: 'DIGEST_INVALID' },
    ]),
    [
      'that has no such tag is not found',
      { path: () => 'team/app/manifests/v2', status: 404, code: 'MANIFEST_UNKNOWN' },
    ],
    [
      'that has no such digest is not found',
      { path: () => `team/app/manifests/${none}`, status: 404, code: 'MANIFEST_UNKNOWN' },
    ],
    [
      'of a name that is not known is not found',
      { path: () => 'nobody/has/manifests/v1', status: 404, code: 'MANIFEST_UNKNOWN' },
    ],
    [
      'is told of by HEAD, by tag: with the length and the digest, without the body',
      {
        method: 'HEAD',
        path: () => 'team/app/manifests/v1',
        status: 200,
        headers: manifestHeaders,
        body: () => Buffer.alloc(0),
      },
    ],
    [
      'is told of by HEAD, by digest',
      {
        method: 'HEAD',
        path: () => `team/app/manifests/${image.manifest.digest}`,
        status: 200,
        headers: manifestHeaders,
        body: () => Buffer.alloc(0),
      },
    ],
    [
      'that is not there is not found by HEAD, without a body',
      { method: 'HEAD', path: () => 'team/app/manifests/v2', status: 404, body: () => Buffer.alloc(0) },
    ],
  ],
  'a blob': [
    // First what is not kept yet: later rules have it from the cache.
    [
      'that nobody has got yet is told of by HEAD',
      { method: 'HEAD', path: layer, status: 200, headers: blobHeaders, body: () => Buffer.alloc(0) },
    ],
    ['is got by its digest', { path: layer, status: 200, headers: blobHeaders, body: () => LAYER }],
    [
      'may be named by SHA-512',
      {
        path: () => `team/app/blobs/${sha512(LAYER)}`,
        status: 200,
        headers: () => ({ 'docker-content-digest': sha512(LAYER) }),
        body: () => LAYER,
      },
    ],
    [
      'is told of by HEAD: with the length and the digest, without the body',
      {
        method: 'HEAD',
        path: layer,
        status: 200,
        headers: blobHeaders,
        body: () => Buffer.alloc(0),
      },
    ],
    [
      'is got in parts, from a byte to another one',
      {
        path: layer,
        sent: { range: 'bytes=3-5' },
        status: 206,
        headers: () => ({ 'content-range': 'bytes 3-5/10', 'content-length': '3' }),
        body: () => Buffer.from('345'),
      },
    ],
    [
      'is got in parts, from a byte to the end',
      {
        path: layer,
        sent: { range: 'bytes=8-' },
        status: 206,
        headers: () => ({ 'content-range': 'bytes 8-9/10' }),
        body: () => Buffer.from('89'),
      },
    ],
    [
      'has no part after its end',
      { path: layer, sent: { range: 'bytes=10-20' }, status: 416, code: 'RANGE_INVALID' },
    ],
    [
      'that is not there is not found',
      { path: () => `team/app/blobs/${none}`, status: 404, code: 'BLOB_UNKNOWN' },
    ],
    [
      'that is not there is not found by HEAD, without a body',
      { method: 'HEAD', path: () => `team/app/blobs/${none}`, status: 404, body: () => Buffer.alloc(0) },
    ],
    [
      'has a digest that can be verified',
      { path: () => 'team/app/blobs/sha256:short', status: 400, code: 'DIGEST_INVALID' },
    ],
    [
      'has a name in the grammar of names',
      { path: () => `Team/blobs/${none}`, status: 400, code: 'NAME_INVALID' },
    ],
  ],
  'a list of tags': [
    [
      'has the name and all tags in their order',
      {
        path: () => 'team/app/tags/list',
        status: 200,
        headers: () => ({ 'content-type': 'application/json', link: undefined }),
        body: () => ({ name: `${base()}/team/app`, tags: TAGS }),
      },
    ],
    [
      'has at most as many as are asked for, and links to the next ones',
      {
        path: () => 'team/app/tags/list?n=2',
        status: 200,
        headers: () => ({ link: `</v2/${base()}/team/app/tags/list?n=2&last=1.1>; rel="next"` }),
        body: () => ({ name: `${base()}/team/app`, tags: TAGS.slice(0, 2) }),
      },
    ],
    [
      'goes on after the last one, and the last page has no link',
      {
        path: () => 'team/app/tags/list?n=2&last=1.1',
        status: 200,
        headers: () => ({ link: undefined }),
        body: () => ({ name: `${base()}/team/app`, tags: TAGS.slice(2) }),
      },
    ],
    [
      'is empty where none are asked for',
      {
        path: () => 'team/app/tags/list?n=0',
        status: 200,
        headers: () => ({ link: undefined }),
        body: () => ({ name: `${base()}/team/app`, tags: [] }),
      },
    ],
    [
      'begins after a tag without a number, too',
      {
        path: () => 'team/app/tags/list?last=edge',
        status: 200,
        body: () => ({ name: `${base()}/team/app`, tags: ['latest'] }),
      },
    ],
    [
      'of a name that is not known is not found',
      { path: () => 'nobody/has/tags/list', status: 404, code: 'NAME_UNKNOWN' },
    ],
  ],
  'what refers to a manifest': [
    [
      'is listed as an index',
      {
        path: () => `team/app/referrers/${image.manifest.digest}`,
        status: 200,
        headers: () => ({ 'content-type': OCI_INDEX, 'oci-filters-applied': undefined }),
        body: () =>
          expect.objectContaining({
            mediaType: OCI_INDEX,
            manifests: [expect.objectContaining({ digest: attached.digest })],
          }),
      },
    ],
    [
      'is an empty index where nothing does, also for a manifest that is not there',
      {
        path: () => `team/app/referrers/${none}`,
        status: 200,
        headers: () => ({ 'content-type': OCI_INDEX }),
        body: () => expect.objectContaining({ manifests: [] }),
      },
    ],
    [
      'is filtered by the type of artifact, and says so',
      {
        path: () => `team/app/referrers/${image.manifest.digest}?artifactType=text/sbom`,
        status: 200,
        headers: () => ({ 'oci-filters-applied': 'artifactType' }),
        body: () =>
          expect.objectContaining({ manifests: [expect.objectContaining({ artifactType: 'text/sbom' })] }),
      },
    ],
    [
      'is filtered to nothing by another type',
      {
        path: () => `team/app/referrers/${image.manifest.digest}?artifactType=text/other`,
        status: 200,
        headers: () => ({ 'oci-filters-applied': 'artifactType' }),
        body: () => expect.objectContaining({ manifests: [] }),
      },
    ],
    [
      'is not found where the upstream has no such list, so that clients ask for the tag instead',
      { path: () => `old/referrers/${image.manifest.digest}`, status: 404, code: 'NAME_UNKNOWN' },
    ],
    [
      'is found under that tag',
      {
        path: () => `old/manifests/${fallback.tag}`,
        status: 200,
        headers: () => ({ 'content-type': OCI_INDEX }),
        body: () => fallback.bytes,
      },
    ],
    [
      'has a digest that can be verified',
      { path: () => 'team/app/referrers/sha256:short', status: 400, code: 'DIGEST_INVALID' },
    ],
  ],
}

describe.each(Object.entries(rules))('%s', (_, table) => {
  test.each(table)('%s', async (_rule, { method = 'GET', path, sent, status, headers, body, code }) => {
    const answer = await place.ask(path(), { method, headers: { ...accept, ...sent } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(answer.status).toBe(status)
    const found = Object.fromEntries(answer.headers)
    for (const [name, value] of Object.entries(headers?.() ?? {}))
      expect([name, found[name]]).toEqual([name, value])
    const expected = body?.()
    if (Buffer.isBuffer(expected)) expect(bytes.equals(expected)).toBe(true)
    else if (expected !== undefined) expect(JSON.parse(bytes.toString())).toEqual(expected)
    if (code === undefined) return
    expect(found['content-type']).toBe('application/json')
    expect(JSON.parse(bytes.toString())).toEqual({
      errors: [{ code, message: expect.stringMatching(/./), detail: null }],
    })
  })
})

describe('a registry', () => {
  test('answers at its base whoever it knows, and tells others how to be known', async () => {
    const { secret } = await own.token(place.group.guest, ['read_virtual_registry'])
    const authorization = `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`
    const [known, other] = [
      await fetch(`${own.url}/v2/`, { headers: { authorization } }),
      await fetch(`${own.url}/v2/`),
    ]
    expect([known.status, other.status]).toEqual([200, 401])
    expect(other.headers.get('www-authenticate')).toMatch(/^Bearer realm="/)
    expect(JSON.parse(await other.text()).errors[0].code).toBe('UNAUTHORIZED')
  })

  test('asks the database twice for a manifest that is kept', async () => {
    const path = 'team/app/manifests/v1'
    await place.pull(path, accept)
    const sent = await own.statements(() => place.pull(path, accept))
    expect(
      sent.filter((one) => /container_registries|members|namespaces/.test(one)).length,
    ).toBeLessThanOrEqual(2)
  })
})
