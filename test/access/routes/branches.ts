import { giveSample } from '#test/repositories.ts'
import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

/** A request in a project that has a small repository. */
const withSample =
  (request: (place: ProjectPlace) => Asking | Promise<Asking>) => async (place: ProjectPlace) => {
    await giveSample(place)
    return request(place)
  }

const read = (path: string): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request: withSample(({ id }) => ({ path: `/projects/${id}/repository/${path}` })),
})

const write = (
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({
  in: 'project',
  lowest: 'developer',
  status,
  whileArchived: false,
  request: withSample(request),
})

/** A new branch. @returns its path */
async function branch({ id, admin }: ProjectPlace): Promise<string> {
  const name = unique('branch')
  await admin.post(`/projects/${id}/repository/branches`, { branch: name, ref: 'main' })
  return `/projects/${id}/repository/branches/${name}`
}

const protection = (status: number, end: string): RouteExpectation => ({
  in: 'project',
  lowest: 'maintainer',
  status,
  whileArchived: false,
  request: withSample(async (place) => ({ path: `${await branch(place)}/${end}` })),
})

/** A new tag. @returns its path */
async function tag({ id, admin }: ProjectPlace, message?: string): Promise<string> {
  const tag_name = unique('tag')
  await admin.post(`/projects/${id}/repository/tags`, { tag_name, ref: 'main', message })
  return `/projects/${id}/repository/tags/${tag_name}`
}

const signed = '-----BEGIN PGP SIGNATURE-----'

const readTag = (end = '', message?: string): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request: withSample(async (place) => ({ path: (await tag(place, message)) + end })),
})

export const branchExpectations: RouteExpectations = {
  'GET /projects/:id/repository/tags': read('tags'),
  'GET /projects/:id/repository/tags/:tag_name': readTag(),
  'GET /projects/:id/repository/tags/:tag_name/signature': readTag('/signature', `x\n${signed}`),
  'POST /projects/:id/repository/tags': write(201, ({ id }) => ({
    path: `/projects/${id}/repository/tags`,
    json: { tag_name: unique('tag'), ref: 'main' },
  })),
  'DELETE /projects/:id/repository/tags/:tag_name': write(204, async (place) => ({
    path: await tag(place),
  })),
  'GET /projects/:id/repository/branches': read('branches'),
  'GET /projects/:id/repository/branches/:branch': read('branches/main'),
  'POST /projects/:id/repository/branches': write(201, ({ id }) => ({
    path: `/projects/${id}/repository/branches`,
    json: { branch: unique('branch'), ref: 'main' },
  })),
  'DELETE /projects/:id/repository/branches/:branch': write(204, async (place) => ({
    path: await branch(place),
  })),
  'DELETE /projects/:id/repository/merged_branches': write(202, ({ id }) => ({
    path: `/projects/${id}/repository/merged_branches`,
  })),
  'POST /projects/:id/repository/changelog': write(200, ({ id }) => ({
    path: `/projects/${id}/repository/changelog`,
    json: { version: '1.0.0', from: 'main~1', file: unique('file') },
  })),
  'POST /projects/:id/repository/commits': write(201, ({ id }) => ({
    path: `/projects/${id}/repository/commits`,
    json: {
      branch: 'main',
      commit_message: 'Change',
      actions: [{ action: 'create', file_path: unique('file'), content: '' }],
    },
  })),
  'POST /projects/:id/repository/commits/:sha/cherry_pick': write(200, async ({ id, admin }) => {
    const name = unique('branch')
    await admin.post(`/projects/${id}/repository/branches`, { branch: name, ref: 'main~1' })
    return {
      path: `/projects/${id}/repository/commits/main/cherry_pick`,
      json: { branch: name, dry_run: true },
    }
  }),
  'POST /projects/:id/repository/commits/:sha/revert': write(200, ({ id }) => ({
    path: `/projects/${id}/repository/commits/main/revert`,
    json: { branch: 'main', dry_run: true },
  })),
  'POST /projects/:id/repository/files/:file_path': write(201, ({ id }) => ({
    path: `/projects/${id}/repository/files/${unique('file')}`,
    json: { branch: 'main', commit_message: 'Change', content: '' },
  })),
  'PUT /projects/:id/repository/files/:file_path': write(200, ({ id }) => ({
    path: `/projects/${id}/repository/files/README.md`,
    json: { branch: 'main', commit_message: 'Change', content: '' },
  })),
  'DELETE /projects/:id/repository/files/:file_path': write(204, ({ id }) => ({
    path: `/projects/${id}/repository/files/README.md?branch=main&commit_message=Change`,
  })),
  'PUT /projects/:id/repository/branches/:branch/protect': protection(200, 'protect'),
  'PUT /projects/:id/repository/branches/:branch/unprotect': protection(200, 'unprotect'),
}
