import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import { unique } from '#test/world.ts'

const base = ({ id }: ProjectPlace) => `/projects/${id}/secure_files`

function form(): FormData {
  const body = new FormData()
  body.append('name', unique('key'))
  body.append('file', new Blob(['secret']), 'key')
  return body
}

async function made(place: ProjectPlace): Promise<string> {
  const { body } = await place.admin.send('POST', base(place), { form: form() })
  return `${base(place)}/${body.id}`
}

const cell = (
  lowest: 'developer' | 'maintainer',
  status: number,
  request: (place: ProjectPlace) => Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest === 'developer', request })

export const secureFileExpectations: RouteExpectations = {
  'GET /projects/:id/secure_files': cell('developer', 200, (place) => Promise.resolve({ path: base(place) })),
  'GET /projects/:id/secure_files/:secure_file_id': cell('developer', 200, async (place) => ({
    path: await made(place),
  })),
  'GET /projects/:id/secure_files/:secure_file_id/download': cell('developer', 200, async (place) => ({
    path: `${await made(place)}/download`,
  })),
  'POST /projects/:id/secure_files': cell('maintainer', 201, (place) =>
    Promise.resolve({ path: base(place), form: form() }),
  ),
  'DELETE /projects/:id/secure_files/:secure_file_id': cell('maintainer', 204, async (place) => ({
    path: await made(place),
  })),
}
