import { mavenFile, publishMaven } from '#registries/package-formats/maven/test-support.ts'
import { onceIn, type RouteExpectations } from '#test/access/route-expectation.ts'

const published = onceIn(async (place) => {
  await publishMaven(place.admin, place)
  return mavenFile(place)
})

export const mavenExpectations: RouteExpectations = {
  'PUT /projects/:id/packages/maven/:path/:file_name': {
    in: 'project',
    lowest: 'developer',
    status: 200,
    whileArchived: false,
    request: (place) => ({ path: mavenFile(place), form: 'content' }),
  },
  'GET /projects/:id/packages/maven/:path/:file_name': {
    in: 'project',
    lowest: 'code readers',
    status: 200,
    request: async (place) => ({ path: await published(place) }),
  },
  // Of a group, everybody gets what they may read of the projects below: maven.test.ts shows what that is. Here there is nothing.
  'GET /groups/:id/-/packages/maven/:path/:file_name': {
    in: 'group',
    lowest: 'readers',
    status: 404,
    request: (place) => ({ path: mavenFile(place, undefined, 'groups') }),
  },
  'GET /packages/maven/:path/:file_name': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: async (w) => {
      const project = await w.project({ visibility: 'public' })
      const path = `${project.fullPath}/1.0/app-1.0.jar`
      await publishMaven(project.admin, project, path)
      return { path: `/packages/maven/${path}` }
    },
  },
}
