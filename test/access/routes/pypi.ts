import { createHash } from 'node:crypto'
import { publishPython, pypi, pythonUpload } from '#registries/package-formats/pypi/test-support.ts'
import { onceIn, type RouteExpectation, type RouteExpectations } from '#test/access/route-expectation.ts'
import { unique } from '#test/world.ts'

const published = onceIn(async (place) => {
  const name = unique('kept')
  const file = `${name}-1.0.zip`
  await publishPython(place.admin, place, { name, file, content: name })
  return { name, file, sha256: createHash('sha256').update(name).digest('hex') }
})

const reading = (path: (made: Awaited<ReturnType<typeof published>>) => string): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request: async (place) => ({ path: `${pypi(place)}/${path(await published(place))}` }),
})

/** Of a group, everybody gets what they may read of the projects below: pypi.test.ts shows what that is. Here there is nothing. */
const below = (path: string, status: number): RouteExpectation => ({
  in: 'group',
  lowest: 'readers',
  status,
  request: ({ id }) => ({ path: `/groups/${id}/-/packages/pypi/${path}` }),
})

export const pypiExpectations: RouteExpectations = {
  'POST /projects/:id/packages/pypi': {
    in: 'project',
    lowest: 'developer',
    status: 201,
    whileArchived: false,
    request: (place) => {
      const name = unique('new')
      return { path: pypi(place), form: pythonUpload({ name, file: `${name}-1.0.zip` }) }
    },
  },
  'GET /projects/:id/packages/pypi/simple': reading(() => 'simple'),
  'GET /projects/:id/packages/pypi/simple/:package_name': reading(({ name }) => `simple/${name}`),
  'GET /projects/:id/packages/pypi/files/:sha256/:file_identifier': reading(
    ({ sha256, file }) => `files/${sha256}/${file}`,
  ),
  'GET /groups/:id/-/packages/pypi/simple': below('simple', 200),
  'GET /groups/:id/-/packages/pypi/simple/:package_name': below('simple/none', 404),
  'GET /groups/:id/-/packages/pypi/files/:sha256/:file_identifier': below('files/00/none-1.0.zip', 404),
}
