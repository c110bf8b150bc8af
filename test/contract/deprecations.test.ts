import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

/** What a client is told of a route; without credentials, as deprecation shows before anybody asks who calls. */
async function announced(method: string, url: string): Promise<string | null> {
  const path = url.replace(/:\w+/g, '1').replace(/^\/api\/v4/, '')
  return (await w.anonymous.send(method, path)).headers.get('deprecation')
}

describe('routes', () => {
  const inApi = () => w.running.app.declaredRoutes.filter(({ access }) => !access.outside)

  test('every answer of a deprecated route says since when, a refusal too', async () => {
    const deprecated = inApi().filter(({ schema }) => schema.deprecated !== undefined)
    expect(deprecated.length).toBeGreaterThan(40)
    const told = await Promise.all(deprecated.map(({ method, url }) => announced(method, url)))
    expect(told).toEqual(
      deprecated.map(({ schema }) => `@${Date.parse(`${schema.deprecated?.since}T00:00:00Z`) / 1000}`),
    )
  })

  test('a deprecated route that succeeds says it, with HEAD as with GET, and its neighbours say nothing', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const header = async (method: string, rest: string) => {
      const { status, headers } = await p.developer.send(method, path + rest)
      return [status, headers.get('deprecation')]
    }
    expect(await header('GET', '/changes')).toEqual([200, '@1671667200'])
    expect(await header('HEAD', '/changes')).toEqual([200, '@1671667200'])
    expect(await header('GET', '/diffs')).toEqual([200, null])
    expect(await header('GET', '')).toEqual([200, null])
  })
})
