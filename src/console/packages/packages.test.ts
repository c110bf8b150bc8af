import { expect, test } from 'vitest'
import { withImages } from '#registries/container-registry/test-support.ts'
import { publishMaven } from '#registries/package-formats/maven/test-support.ts'
import { publishNpm } from '#registries/package-formats/npm/test-support.ts'
import { publishPython } from '#registries/package-formats/pypi/test-support.ts'
import { publishGeneric } from '#registries/packages/test-support.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, saidIn, submit } from '../test-support.ts'

const BROWSER = { accept: 'text/html' }
const stranger = new Visitor(w.url, { headers: BROWSER })

interface ListedPackage {
  readonly package_type: string
  readonly _links: { readonly web_path: string }
}

async function published(visibility: 'public' | 'private') {
  const group = await w.group({ visibility: 'public' })
  const p = await w.project({ visibility, parent: group.id })
  await publishGeneric(p.developer, p, { content: 'hello', file: 'bin/tool' })
  await publishNpm(p.developer, p, { name: '@tools/greet', version: '1.0.0' })
  await publishNpm(p.developer, p, { name: '@tools/greet', version: '2.0.0' })
  await publishPython(p.developer, p)
  await publishMaven(p.developer, p)
  const { body } = await p.developer.get(`/projects/${p.id}/packages?per_page=100`)
  const addresses = new Map<string, string>(
    body.map(({ package_type: type, _links: { web_path } }: ListedPackage) => [type, web_path]),
  )
  const pageOf = (type: string): string => addresses.get(type) ?? ''
  return { p, group, pageOf, place: `/${p.fullPath}/-` }
}

const shownTo = async (visitor: Visitor, path: string) => {
  const { status, text } = await visitor.get(path, BROWSER)
  expect([path, status]).toEqual([path, 200])
  return text
}

test('packages say how to install them, and their files can be downloaded', async () => {
  const { p, group, pageOf, place } = await published('public')
  const api = `${w.url}/api/v4/projects/${p.id}/packages`
  const lines = {
    npm: [`@tools:registry=${api}/npm/`, 'npm install @tools/greet@'],
    pypi: [`pip install --index-url ${api}/pypi/simple my-tool==1.0`],
    maven: ['&lt;artifactId&gt;app&lt;/artifactId&gt;', `&lt;url&gt;${api}/maven&lt;/url&gt;`],
    generic: [`curl --remote-name &quot;${api}/generic/tool/1.0.0/bin%2Ftool&quot;`],
  }
  for (const [type, expected] of Object.entries(lines)) {
    const text = await shownTo(stranger, pageOf(type))
    for (const line of expected) expect(text).toContain(line)
    expect(text).toMatch(/<dt>SHA-256<\/dt>\s*<dd><code>[0-9a-f]{64}/)
    expect(text).not.toContain('TOKEN')
    const file = /href="(\/api\/v4\/[^"]+)" download/.exec(text)?.[1] ?? ''
    expect([type, (await fetch(w.url + file)).status]).toEqual([type, 200])
  }
  expect(await shownTo(stranger, pageOf('npm'))).toContain('Other versions')
  for (const list of [`${place}/packages`, `/groups/${group.fullPath}/-/packages`]) {
    expect(await shownTo(stranger, list)).toContain(`href="${pageOf('pypi')}"`)
    expect(await shownTo(stranger, `${list}?type=npm`)).not.toContain(`href="${pageOf('pypi')}"`)
    expect(await shownTo(stranger, `${list}?name=nothing`)).toContain('No package fits')
  }
})

test('packages and images of a private project are as if they were not there', async () => {
  const { p, group, pageOf, place } = await published('private')
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [`${place}/packages`, pageOf('npm'), `${place}/container_registry`])
    expect([path, saidIn(await stranger.get(path))]).toEqual([path, saidIn(missing)])
  expect(await shownTo(stranger, `/groups/${group.fullPath}/-/packages`)).toContain(
    'No package was published',
  )
  const { visitor, ...me } = await signedIn(w)
  await w.member(p.namespaceId, me, 20)
  const text = await shownTo(visitor, pageOf('npm'))
  expect(text).toContain(':_authToken=${TOKEN}')
  const file = /href="(\/api\/v4\/[^"]+)" download/.exec(text)?.[1] ?? ''
  expect((await visitor.get(file)).status).toBe(200)
})

test('images with their tags, and how to pull one', async () => {
  const { project, name, developer } = await withImages(w, { visibility: 'public' })
  const place = `/${project.fullPath}/-/container_registry`
  expect(await shownTo(stranger, place)).toContain('No image was pushed yet')
  const { digest } = await developer.image(`${name}/web`, 'v1')
  await developer.image(`${name}/web`, 'v2')
  const list = await shownTo(stranger, place)
  expect(list).toContain('2 tags')
  const one = /href="([^"]+\/container_registry\/\d+)"/.exec(list)?.[1] ?? ''
  const shown = await shownTo(stranger, `${one}?tag=v1`)
  expect(shown).toContain(`docker pull ${new URL(w.url).host}/${name}/web:v1`)
  expect(shown).toContain(digest)
  expect(await shownTo(stranger, `${one}?tag=none`)).toContain('>v2<')
  const other = await w.project({ visibility: 'public' })
  expect((await stranger.get(one.replace(project.fullPath, other.fullPath))).status).toBe(404)
  const group = project.fullPath.split('/')[0] ?? ''
  const all = await stranger.get(`/groups/${group}/-/container_registries`)
  if (all.status === 200) expect(all.text).toContain(`href="${one}"`)
})

test('maintainers delete packages and repositories of images, developers tags', async () => {
  const { p, pageOf } = await published('public')
  const developer = await signedIn(w)
  const maintainer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  await w.member(p.namespaceId, maintainer, 40)
  expect(formsIn(await shownTo(developer.visitor, pageOf('pypi')))).toEqual([])
  const gone = await submit(maintainer.visitor, pageOf('pypi'), 'delete')
  expect(gone.headers.location).toBe(`/${p.fullPath}/-/packages`)
  expect((await developer.visitor.get(pageOf('pypi'), BROWSER)).status).toBe(404)

  const images = await withImages(w, { visibility: 'public' })
  await w.member(images.project.namespaceId, developer, 30)
  await w.member(images.project.namespaceId, maintainer, 40)
  for (const tag of ['v1', 'v2']) await images.developer.image(`${images.name}/web`, tag)
  const place = `/${images.project.fullPath}/-/container_registry`
  const one = /href="([^"]+\/container_registry\/\d+)"/.exec(await shownTo(stranger, place))?.[1] ?? ''
  await submit(developer.visitor, `${one}?tag=v1`, 'delete-tag/v1')
  const left = await shownTo(maintainer.visitor, one)
  expect([left.includes('>v1<'), left.includes('>v2<')]).toEqual([false, true])
  expect((await submit(maintainer.visitor, one, 'delete')).headers.location).toBe(place)
})
