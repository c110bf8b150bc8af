import { giveSample } from '#test/repositories.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

/** A read of a project that has a small repository. */
const read = (path: string): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request: async (place) => {
    const { row } = await giveSample(place)
    return { path: `/projects/${place.id}/${path.replace('SHA', row.last_commit_sha ?? '')}` }
  },
})

/** The id of `README.md` in the second commit. */
const README = '9b0dd86a8f527f89cda394445b1bc5243239649c'

export const repositoryExpectations: RouteExpectations = {
  'GET /projects/:id/repository/tree': read('repository/tree'),
  'GET /projects/:id/repository/blobs/:sha': read(`repository/blobs/${README}`),
  'GET /projects/:id/repository/blobs/:sha/raw': read(`repository/blobs/${README}/raw`),
  'GET /projects/:id/repository/archive': read('repository/archive'),
  'GET /projects/:id/repository/archive.:format': read('repository/archive.zip'),
  'GET /projects/:id/repository/compare': read('repository/compare?from=main~1&to=main'),
  'GET /projects/:id/repository/merge_base': read('repository/merge_base?refs[]=main&refs[]=SHA'),
  'GET /projects/:id/repository/changelog': read('repository/changelog?version=1.0.0&from=main~1'),
  'GET /projects/:id/repository/contributors': read('repository/contributors'),
  'GET /projects/:id/languages': read('languages'),
  'GET /projects/:id/repository/files/:file_path': read('repository/files/src%2Fmain.ts?ref=main'),
  'GET /projects/:id/repository/files/:file_path/raw': read('repository/files/README.md/raw'),
  'GET /projects/:id/repository/files/:file_path/blame': read('repository/files/README.md/blame?ref=main'),
  'GET /projects/:id/repository/commits': read('repository/commits'),
  'GET /projects/:id/repository/commits/:sha': read('repository/commits/main'),
  'GET /projects/:id/repository/commits/:sha/diff': read('repository/commits/SHA/diff'),
  'GET /projects/:id/repository/commits/:sha/refs': read('repository/commits/SHA/refs'),
  'GET /projects/:id/repository/commits/:sha/sequence': read('repository/commits/SHA/sequence'),
  'GET /projects/:id/repository/commits/:sha/merge_requests': read('repository/commits/SHA/merge_requests'),
  'GET /projects/:id/repository/commits/:sha/statuses': read('repository/commits/SHA/statuses'),
  'GET /projects/:id/repository/commits/:sha/signature': read('repository/commits/signed/signature'),
  'POST /projects/:id/statuses/:sha': {
    in: 'project',
    lowest: 'developer',
    status: 201,
    whileArchived: false,
    request: async (place) => {
      const { row } = await giveSample(place)
      return { path: `/projects/${place.id}/statuses/${row.last_commit_sha}`, json: { state: 'success' } }
    },
  },
}
