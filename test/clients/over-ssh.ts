import { onTestFinished } from 'vitest'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { openWorld } from '#test/world.ts'

/** A project on a server of its own that offers SSH, and a key that its maintainer has. */
export async function projectOverSsh() {
  const own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  onTestFinished(() => own.running.stop())
  const project = await own.project()
  await project.owner.post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'README.md', content: '# Hello\n' }],
  })
  const client = await SshClient.open()
  onTestFinished(() => client[Symbol.asyncDispose]())
  await client.addTo(project.maintainer)
  const { body } = await project.maintainer.get(`/projects/${project.id}`)
  return { project, client, url: String(body.ssh_url_to_repo) }
}
