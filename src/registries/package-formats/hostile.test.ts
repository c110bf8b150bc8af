import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { genericFile } from '../packages/test-support.ts'
import { mavenFile, publishMaven } from './maven/test-support.ts'
import { documentOf, npmPackage, publishNpm } from './npm/test-support.ts'
import { publishPython } from './pypi/test-support.ts'

const NUL = String.fromCharCode(0)
const LONE = String.fromCharCode(0xd800)

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]))

/** Requests that make no sense are refused with a reason, and the server has no failure of its own. */
const expectRefused = ({ status, text }: { readonly status: number; readonly text: string }) =>
  expect([status >= 400 && status < 500, status, text]).toEqual([
    true,
    status,
    expect.stringContaining('message'),
  ])

describe('documents of npm', () => {
  const odd: readonly (readonly [string, object])[] = [
    ['NUL in the manifest', { description: `a${NUL}b` }],
    ['half a character in the manifest', { description: `a${LONE}b` }],
    ['NUL in a key', { dependencies: { [`a${NUL}`]: '1' } }],
    ['a deprecation that is a list', { deprecated: ['x'] }],
    ['digests that are numbers', { dist: { shasum: 1 } }],
  ]
  test.each(odd)('with %s are refused', async (_, manifest) => {
    const p = await w.project()
    const document = await documentOf()
    Object.assign(document.versions['1.0.0'] ?? {}, manifest)
    expectRefused(await p.developer.put(npmPackage(p), document))
  })

  test.each([
    ['null', null],
    ['versions that are a list', { name: 'tool', versions: [] }],
    ['tags that are numbers', { name: 'tool', versions: {}, 'dist-tags': { latest: 1 } }],
    ['attachments that are texts', { name: 'tool', versions: {}, _attachments: 'x' }],
    ['an attachment that is a list', { name: 'tool', versions: {}, _attachments: { 'a.tgz': ['x'] } }],
    ['a key that is the prototype', JSON.parse('{"name":"tool","versions":{"__proto__":{"name":"tool"}}}')],
    ['more tags than anybody has', { name: 'tool', versions: {}, 'dist-tags': many(20_000, '1.0.0') }],
    ['keys of a megabyte', { name: 'tool', versions: {}, ['k'.repeat(1_000_000)]: 1 }],
    [
      'ten thousand versions',
      {
        name: 'tool',
        versions: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, n) => [`1.0.${n}`, { name: 'tool', version: `1.0.${n}` }]),
        ),
      },
    ],
  ])('with %s are refused', async (_, document) => {
    const p = await w.project()
    expectRefused(await p.developer.put(npmPackage(p), document))
  })

  test('with a deprecation that no text can be are refused', async () => {
    const p = await w.project()
    await publishNpm(p.developer, p)
    for (const deprecated of [`a${NUL}b`, `a${LONE}b`, 'x'.repeat(1_000_000)]) {
      const versions = { '1.0.0': { name: 'tool', version: '1.0.0', deprecated } }
      expectRefused(await p.developer.put(npmPackage(p), { name: 'tool', versions }))
    }
  })

  test('with thousands of attachments are refused before the second is stored', async () => {
    const p = await w.project()
    const all = Array.from({ length: 5_000 }, (_, n) => [`${n}.tgz`, { data: 'AAAA' }])
    const document = { name: 'tool', versions: {}, _attachments: Object.fromEntries(all) }
    const sent = await w.statements(async () => expectRefused(await p.developer.put(npmPackage(p), document)))
    expect(sent.filter((sql) => sql.includes('insert into')).length).toBeLessThan(10)
  })

  test('a version as a tag that is no text of JSON is refused', async () => {
    const p = await w.project()
    await publishNpm(p.developer, p)
    const tags = `/projects/${p.id}/packages/npm/-/package/tool/dist-tags/next`
    for (const form of [`"${NUL}"`, '{}', '', 'x'.repeat(10_000)])
      expectRefused(await p.developer.send('PUT', tags, { form }))
  })
})

test('fields of Python packages that no text can be, or a megabyte, are refused', async () => {
  const p = await w.project()
  for (const fields of [
    { requires_python: `>=3${NUL}` },
    { requires_python: 'x'.repeat(1_000_000) },
    { name: `a${NUL}` },
    { version: '1.0'.repeat(100_000) },
    { sha256_digest: 'x' },
  ])
    expectRefused(await publishPython(p.developer, p, { fields }))
})

test.each(['%00', '%2F', 'a%2F..%2Fb', '%ff', '%ed%a0%80', 'x'.repeat(8_000)])(
  'the name %s is refused by each format',
  async (name) => {
    const p = await w.project()
    const at = `/projects/${p.id}/packages`
    for (const [method, path] of [
      ['PUT', `${at}/generic/${name}/1.0/x`],
      ['PUT', `${at}/generic/a/${name}/x`],
      ['PUT', `${at}/npm/${name}`],
      ['GET', `${at}/npm/${name}`],
      ['PUT', `${at}/maven/${name}/a/1.0/a.jar`],
      ['GET', `${at}/maven/a/${name}/a.jar`],
      ['GET', `${at}/pypi/simple/${name}`],
      ['GET', `${at}/pypi/files/${name}/${name}`],
      ['GET', `${at}/go/code.example.com/${name}/@v/list`],
      ['GET', `${at}/go/code.example.com/a/@v/${name}.info`],
    ] as const) {
      const { status } = await p.developer.send(method, path, method === 'PUT' ? { form: '{}' } : {})
      expect([path.slice(0, 80), status >= 400 && status < 500]).toEqual([path.slice(0, 80), true])
    }
  },
)

test('two who publish and delete the same at once leave one of both, and no failure', async () => {
  const p = await w.project()
  for (let n = 0; n < 5; n += 1) {
    await publishMaven(p.developer, p)
    const [{ id }] = (await p.reporter.get(`/projects/${p.id}/packages`)).body
    const all = await Promise.all([
      publishMaven(p.developer, p),
      p.maintainer.delete(`/projects/${p.id}/packages/${id}`),
      publishMaven(p.developer, p),
      p.reporter.get(mavenFile(p)),
      p.maintainer.delete(`/projects/${p.id}/packages/${id}`),
    ])
    expect(all.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  }
  expect((await p.reporter.get(genericFile(p))).status).toBe(404)
})
