import { FEEDS } from '#console/feeds/addresses.ts'
import { giveSample } from '#test/repositories.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import { type World, w as world } from '#test/world.ts'

/** A public project with a repository, whose feeds everybody reads. */
let made: Promise<{ readonly encoded: string; readonly group: string }> | undefined
const open = () =>
  (made ??= (async () => {
    const project = await world.project({ visibility: 'public' })
    await giveSample(project)
    const { fullPath } = await world.group({ visibility: 'public' })
    return { encoded: project.encoded, group: encodeURIComponent(fullPath) }
  })())

const cell = (
  lowest: 'anonymous' | 'signed in',
  path: (place: { readonly encoded: string; readonly group: string }) => string,
): RouteExpectation => ({
  in: 'instance',
  lowest,
  status: 200,
  request: async (w: World) => ({ path: `${w.url}${FEEDS}${path(await open())}` }),
})

export const feedExpectations: RouteExpectations = {
  [`GET ${FEEDS}/project/:path/issues`]: cell('anonymous', (p) => `/project/${p.encoded}/issues`),
  [`GET ${FEEDS}/project/:path/merge_requests`]: cell(
    'anonymous',
    (p) => `/project/${p.encoded}/merge_requests`,
  ),
  [`GET ${FEEDS}/project/:path/commits/:place`]: cell(
    'anonymous',
    (p) => `/project/${p.encoded}/commits/main`,
  ),
  [`GET ${FEEDS}/project/:path/tags`]: cell('anonymous', (p) => `/project/${p.encoded}/tags`),
  [`GET ${FEEDS}/group/:path/issues`]: cell('anonymous', (p) => `/group/${p.group}/issues`),
  [`GET ${FEEDS}/group/:path/merge_requests`]: cell('anonymous', (p) => `/group/${p.group}/merge_requests`),
  [`GET ${FEEDS}/group/:path`]: cell('signed in', (p) => `/group/${p.group}`),
  [`GET ${FEEDS}/named/:path`]: cell('signed in', (p) => `/named/${p.encoded}`),
  [`GET ${FEEDS}/dashboard/issues`]: cell('signed in', () => '/dashboard/issues'),
  [`GET ${FEEDS}/dashboard/merge_requests`]: cell('signed in', () => '/dashboard/merge_requests'),
  [`GET ${FEEDS}/dashboard/projects`]: cell('signed in', () => '/dashboard/projects'),
}
