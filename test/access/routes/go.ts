import { goModule, tagged } from '#registries/package-formats/go/test-support.ts'
import { onceIn, type RouteExpectation, type RouteExpectations } from '#test/access/route-expectation.ts'

const released = onceIn((place) => tagged(place, 'v1.0.0', { 'main.go': 'package main\n' }))

const reading = (rest: string): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  async request(place) {
    await released(place)
    return { path: goModule(place, rest) }
  },
})

export const goExpectations: RouteExpectations = {
  'GET /projects/:id/packages/go/:module_name/@v/list': reading('v/list'),
  'GET /projects/:id/packages/go/:module_name/@latest': reading('latest'),
  'GET /projects/:id/packages/go/:module_name/@v/:module_version': reading('v/v1.0.0.info'),
}
