import { commits, importInto } from '#test/repositories.ts'
import type { ProjectPlace } from './route-expectation.ts'

const CONFIG = `
job: { script: x }
manual: { script: x, when: manual }
review: { script: x, rules: [{ if: $CI_MERGE_REQUEST_IID }] }
`

/**
 * Gives the branch `ci` of a project a configuration with `job`, `manual` and, for merge requests, `review`. Requests of other routes may
 * have given the project another repository meanwhile.
 * @returns the path of the project
 */
export async function withCi(place: ProjectPlace): Promise<string> {
  const path = `/projects/${place.id}`
  const { status } = await place.admin.get(`${path}/repository/files/.gitlab-ci.yml?ref=ci`)
  if (status !== 200)
    await importInto(place, commits({ branch: 'ci', message: 'Begin', files: { '.gitlab-ci.yml': CONFIG } }))
  return path
}
