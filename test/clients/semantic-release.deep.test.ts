import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cloneOf, projectWith, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'

/** As in .ci/run, which installs it. */
const VERSION = '25'
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const program = join(
  cache,
  `forgelet-tools/semantic-release-${VERSION}/node_modules/semantic-release/bin/semantic-release.js`,
)
const has = existsSync(program)
if (!has) console.log(`skipped: semantic-release ${VERSION} is not installed, see .ci/run`)

const run = promisify(execFile)
withGit()

/** Releases what is on the main branch of a project, from a fresh clone. @returns what semantic-release says */
async function release(url: string, token: string): Promise<string> {
  const { folder } = await cloneOf(url)
  const plain = new URL(url)
  plain.username = plain.password = ''
  const options = {
    branches: ['main'],
    repositoryUrl: plain.href,
    plugins: [
      '@semantic-release/commit-analyzer',
      '@semantic-release/release-notes-generator',
      [
        '@semantic-release/gitlab',
        {
          gitlabUrl: w.url,
          assets: [{ url: 'https://example.org/tool', label: 'tool', type: 'package', filepath: '/tool' }],
        },
      ],
    ],
  }
  await writeFile(join(folder, '.releaserc.json'), JSON.stringify(options))
  const { stdout } = await run(process.execPath, [program, '--no-ci'], {
    cwd: folder,
    timeout: 120_000,
    env: { PATH: process.env['PATH'], HOME: folder, GITLAB_TOKEN: token, GIT_CONFIG_NOSYSTEM: '1' },
  })
  return stdout
}

describe.skipIf(!has)('semantic-release with @semantic-release/gitlab', { timeout: 300_000 }, () => {
  test('tags and releases what has changed, and tells merge requests and issues', async () => {
    const { project, url, work } = await projectWith({ 'README.md': 'A' })
    const { maintainer, id } = project
    const base = `/projects/${id}`
    await work.run('commit', '--quiet', '--allow-empty', '-m', 'feat: begin')
    await work.run('push', '--quiet', 'origin', 'main')
    expect(await release(url, maintainer.token)).toContain('Published release 1.0.0 on default channel')
    const { body: first } = await maintainer.get(`${base}/releases/v1.0.0`)
    expect(first).toMatchObject({
      name: 'v1.0.0',
      commit: { title: 'feat: begin' },
      assets: { links: [{ name: 'tool', url: 'https://example.org/tool', link_type: 'package' }] },
    })
    expect(first.description).toContain('### Features')

    const { body: issue } = await maintainer.post(`${base}/issues`, { title: 'It squeaks' })
    await work.run('switch', '--quiet', '--create', 'mend')
    await work.run('commit', '--quiet', '--allow-empty', '-m', `fix: mend\n\nCloses #${issue.iid}`)
    await work.run('push', '--quiet', 'origin', 'mend')
    const { body: request } = await maintainer.post(`${base}/merge_requests`, {
      source_branch: 'mend',
      target_branch: 'main',
      title: 'Mend',
      description: `Closes #${issue.iid}`,
    })
    const merge = await maintainer.put(`${base}/merge_requests/${request.iid}/merge`)
    expect([merge.status, merge.body.state]).toEqual([200, 'merged'])
    expect(await release(url, maintainer.token)).toContain('Published release 1.0.1 on default channel')
    for (const told of [`merge_requests/${request.iid}`, `issues/${issue.iid}`]) {
      const { body } = await maintainer.get(`${base}/${told}/notes?per_page=100`)
      expect(body.map((note: { body: string }) => note.body).join('\n')).toContain('1.0.1')
    }
    expect(await release(url, maintainer.token)).toContain('no new version is released')
  })
})
