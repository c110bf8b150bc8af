import { describe, expect, test } from 'vitest'
import { always, type FakeRegistry, OCI_INDEX } from '#test/fake-registry.ts'
import { withVirtualRegistries } from '../test-support.ts'
import { closingRegistries, virtual } from './test-support.ts'

// Signatures and lists of contents refer to an image. "None" must not be said by whom nobody asked, or who does not know.

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code
const manifestsOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).manifests

/** Answers for any digest, as registries do that have the list. */
const withReferrers = (source: FakeRegistry, manifests: readonly object[]) => {
  const body = JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests })
  source.behave = (request, response) =>
    request.url?.includes('/referrers/') === true &&
    always(200, { 'content-type': OCI_INDEX }, body)(request, response)
}
const signature = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: 'sha256:1', size: 1 }

async function two() {
  const place = await virtual(2)
  const [first, second] = place.sources
  if (first === undefined || second === undefined) throw new Error('There are two')
  withReferrers(first, [])
  withReferrers(second, [signature])
  const { manifest } = second.image('a', 'v1')
  return { ...place, first, second, digest: manifest.digest, path: `a/referrers/${manifest.digest}` }
}

describe('what refers to a manifest', () => {
  test('is told by the upstream that the manifest was got from, not by the first one', async () => {
    const { pull, path, first, second } = await two()
    await pull('a/manifests/v1')
    first.questions.length = 0
    const answer = await pull(path)
    expect([answer.status, manifestsOf(answer)]).toEqual([200, [signature]])
    expect([first.questions, second.asked(/referrers/)]).toEqual([[], 1])
  })

  test('is told by the upstream that has the manifest, if nothing is kept of it', async () => {
    const { pull, path, first, second } = await two()
    second.refusesHead = 405
    const answer = await pull(path)
    expect([answer.status, manifestsOf(answer)]).toEqual([200, [signature]])
    expect([first.asked(/referrers/), second.asked(/referrers/)]).toEqual([0, 1])
  })

  test('is not known while the upstream that has the manifest cannot be asked', async () => {
    const { pull, path, second } = await two()
    await pull('a/manifests/v1')
    second.behave = always(500)
    const answer = await pull(path)
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
  })

  test('is not known while the upstream that may have the manifest cannot be asked', async () => {
    const { pull, path, second } = await two()
    second.behave = always(500)
    const answer = await pull(path)
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
  })

  test.each([401, 403])('is not said to be nothing where access to it is denied: %i', async (status) => {
    const { pull, path, second } = await two()
    await pull('a/manifests/v1')
    second.behave = (request, response) =>
      request.url?.includes('/referrers/') === true && always(status)(request, response)
    const answer = await pull(path)
    expect(answer.status).toBe(status === 403 ? 403 : 502)
    expect(codeOf(answer)).toBe(status === 403 ? 'DENIED' : 'UNAVAILABLE')
  })

  test('is not found where that upstream has no such list, though others have one', async () => {
    const { pull, path, second } = await two()
    await pull('a/manifests/v1')
    second.behave = () => false
    const answer = await pull(path)
    expect([answer.status, codeOf(answer)]).toEqual([404, 'NAME_UNKNOWN'])
  })

  test('comes page by page, however the upstream names the next one', async () => {
    const { pull, path, second, registry, digest } = await two()
    await pull('a/manifests/v1')
    second.behave = (request, response) => {
      if (request.url?.includes('/referrers/') !== true) return false
      const isNext = request.url.endsWith('?cursor=abc%3D&artifactType=x')
      const link = `</v2/a/referrers/${digest}?cursor=abc%3D&artifactType=x>; rel="next"`
      const body = JSON.stringify({ schemaVersion: 2, manifests: isNext ? [signature] : [] })
      return always(200, isNext ? {} : { link }, body)(request, response)
    }
    const first = await pull(path)
    const next = /<([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const base = `/v2/virtual_registries/container/${registry.id}/`
    expect(next).toBe(`${base}${path}?cursor=abc%3D&artifactType=x`)
    expect(manifestsOf(await pull(next.replace(base, '')))).toEqual([signature])
  })

  test.each([
    ['value', `cursor=${'x'.repeat(256)}`],
    ['query', Array.from({ length: 5 }, (_, at) => `cursor${at}=${'x'.repeat(250)}`).join('&')],
  ])('has no next page with a %s that is too long to ask for', async (_, query) => {
    const { pull, path, second, digest } = await two()
    await pull('a/manifests/v1')
    second.behave = (request, response) =>
      request.url?.includes('/referrers/') === true &&
      always(
        200,
        { link: `</v2/a/referrers/${digest}?${query}>; rel="next"` },
        '{"manifests":[]}',
      )(request, response)
    const first = await pull(path)
    expect([first.status, first.headers.get('link')]).toEqual([200, null])
    const asked = second.asked(/referrers/)
    const answer = await pull(`${path}?${query}`)
    expect([answer.status, codeOf(answer), second.asked(/referrers/)]).toEqual([400, 'UNSUPPORTED', asked])
  })

  test('is what the first upstream says of a manifest that nobody has', async () => {
    const { pull, first } = await two()
    const answer = await pull(`a/referrers/sha256:${'0'.repeat(64)}`)
    expect([answer.status, manifestsOf(answer), first.asked(/referrers/)]).toEqual([200, [], 1])
  })
})
