import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Registry } from '#registries/container-registry/test-support.ts'
import { publishGeneric } from '#registries/packages/test-support.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { findClassPath, run } from './java.ts'

const source = join(import.meta.dirname, 'gitlab4j')
const classPath = await findClassPath(source, 'GitLab4J')

test.skipIf(classPath === undefined)(
  'GitLab4J keeps releases, and reads and deletes packages and images',
  async () => {
    const project = await branchedProject()
    const { maintainer, fullPath } = project
    await maintainer.post(`/projects/${project.id}/milestones`, { title: '1.0' })
    await publishGeneric(maintainer, project, { version: '1.0.0' })
    const images = new Registry(maintainer.token)
    for (const tag of ['v1', 'v2']) await images.image(fullPath.toLowerCase(), tag)
    const program = ['-cp', classPath ?? '', join(source, 'UseGitLab4J.java')]
    const { stdout } = await run('java', [...program, w.url, maintainer.token, fullPath], {
      timeout: 170_000,
    })
    expect(stdout).toBe('held\n')
  },
)
