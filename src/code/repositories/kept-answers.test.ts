import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fresh, git, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { Client } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { until } from '#test/until.ts'
import { type Actor, w } from '#test/world.ts'

// What git has answered is kept by ids: nobody notices but by the time that it takes.

withGit()

const metric = async (name: RegExp) => {
  const text = await (await fetch(`${w.url}/-/metrics`)).text()
  return [...text.matchAll(name)].reduce((sum, [, value]) => sum + Number(value), 0)
}

/** How many git processes read for requests or jobs so far. */
const processes = () =>
  metric(/^forgelet_git_process_duration_seconds_count\{command="[^"]*",lane="read"\} (\d+)/gm)

async function projectWithBranch() {
  const made = await projectWith({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, { visibility: 'private' })
  await made.work.run('checkout', '-q', '-b', 'side')
  const side = await made.work.commit({ 'a.txt': 'changed\n' })
  await made.work.run('push', '-q', 'origin', 'side')
  const { maintainer, id } = made.project
  const opened = await maintainer.post(`/projects/${id}/merge_requests`, {
    source_branch: 'side',
    target_branch: 'main',
    title: 'Side',
  })
  expect(opened.status).toBe(201)
  return { ...made, side, iid: Number(opened.body.iid) }
}

describe('a request that was answered before', () => {
  test('starts no git process and is answered alike', async () => {
    const { project, side, iid } = await projectWithBranch()
    const at = `/projects/${project.id}`
    for (const path of [
      `${at}/repository/commits/${side}`,
      `${at}/repository/commits?ref_name=side&with_stats=true`,
      `${at}/repository/commits/${side}/diff`,
      `${at}/repository/files/a.txt?ref=side`,
      `${at}/repository/files/a.txt/raw?ref=side`,
      `${at}/repository/compare?from=main&to=side`,
      `${at}/repository/merge_base?refs[]=main&refs[]=side`,
      `${at}/repository/branches`,
      `${at}/repository/tags`,
      `${at}/merge_requests/${iid}/changes`,
      `${at}/merge_requests/${iid}/commits`,
    ]) {
      const first = await project.maintainer.get(path)
      expect({ path, status: first.status }).toEqual({ path, status: 200 })
      // A job may look at the repository meanwhile.
      await until(async () => {
        const before = await processes()
        const again = await project.maintainer.get(path)
        expect({ path, text: again.text, started: (await processes()) - before }).toEqual({
          path,
          text: first.text,
          started: 0,
        })
      })
    }
    expect(await metric(/^forgelet_git_answers_bytes (\d+)/gm)).toBeGreaterThan(0)
    expect(await metric(/^forgelet_git_answers_total\{kept="yes"\} (\d+)/gm)).toBeGreaterThan(0)
  })
})

/** What several requests say of the branch `side`. */
async function seenOfSide(by: Pick<Actor, 'get'>, project: number) {
  const at = `/projects/${project}/repository`
  const branches = await by.get(`${at}/branches`)
  const side = branches.body.find(({ name }: { name: string }) => name === 'side')
  const file = await by.get(`${at}/files/a.txt?ref=side`)
  const compared = await by.get(`${at}/compare?from=main&to=side`)
  return {
    branch: side && { id: side.commit.id, merged: side.merged },
    file: file.body.last_commit_id,
    changed: compared.body.diffs?.map((one: { new_path: string }) => one.new_path),
  }
}

describe('what was kept', () => {
  test('of a branch is not shown after it was rewritten, on no node', async () => {
    const { project, work, side } = await projectWithBranch()
    const other = await w.another()
    const elsewhere = new Client(other.url)
    const onOther = { get: (path: string) => elsewhere.get(path, { headers: project.maintainer.headers }) }
    const both = [project.maintainer, onOther]
    for (const by of both) {
      expect(await seenOfSide(by, project.id)).toEqual({
        branch: { id: side, merged: false },
        file: side,
        changed: ['a.txt'],
      })
    }
    await work.run('reset', '-q', '--hard', 'main')
    const rewritten = await work.commit({ 'b.txt': 'rewritten\n' })
    await work.run('push', '-q', '--force', 'origin', 'side')
    for (const by of both) {
      const seen = await seenOfSide(by, project.id)
      expect(seen).toMatchObject({ branch: { id: rewritten, merged: false }, changed: ['b.txt'] })
      expect(seen.file).not.toBe(side)
    }
    await work.run('push', '-q', 'origin', 'side:main')
    await work.run('push', '-q', 'origin', '--delete', 'side')
    for (const by of both) expect((await seenOfSide(by, project.id)).branch).toBeUndefined()
    await other.stop()
  })

  test('says that a branch is merged once the default branch has it', async () => {
    const { project, work, side } = await projectWithBranch()
    expect(await seenOfSide(project.maintainer, project.id)).toMatchObject({ branch: { merged: false } })
    await work.run('checkout', '-q', 'main')
    await work.run('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
    await work.run('push', '-q', 'origin', 'main')
    expect(await seenOfSide(project.maintainer, project.id)).toMatchObject({
      branch: { id: side, merged: true },
      changed: [],
    })
  })

  test('is shown to nobody who may not read the repository, nor in another one', async () => {
    const { project, side } = await projectWithBranch()
    const path = `/repository/commits/${side}`
    expect((await project.guest.get(`/projects/${project.id}${path}`)).status).toBe(403)
    expect((await project.reporter.get(`/projects/${project.id}${path}`)).status).toBe(200)
    const stranger = await w.user()
    for (const by of [stranger, w.anonymous]) {
      expect((await by.get(`/projects/${project.id}${path}`)).status).toBe(404)
      expect((await by.get(`/projects/${project.id}/repository/compare?from=main&to=side`)).status).toBe(404)
    }
    const another = await projectWith({ 'c.txt': 'three\n' })
    for (const own of [
      path,
      `/repository/compare?from=main&to=${side}`,
      `/repository/files/a.txt?ref=${side}`,
    ]) {
      expect((await another.project.maintainer.get(`/projects/${another.project.id}${own}`)).status).toBe(404)
    }
  })

  test('is gone with its project, and one that takes its place answers for itself', async () => {
    const project = await w.project()
    const tip = (await giveSample(project)).row.last_commit_sha ?? ''
    const made = await project.maintainer.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'More',
      actions: [{ action: 'create', file_path: 'more', content: 'more' }],
    })
    const named = encodeURIComponent(project.fullPath)
    const path = `/projects/${named}/repository/compare?from=${tip}&to=${made.body.id}`
    expect((await project.maintainer.get(path)).status).toBe(200)
    expect((await project.owner.delete(`/projects/${project.id}`)).status).toBe(202)
    expect((await project.maintainer.get(path)).status).toBe(404)
    const young = await w.project({
      parent: project.groupId,
      path: project.fullPath.split('/').at(-1) ?? '',
    })
    await giveSample(young)
    expect((await young.maintainer.get(path)).status).toBe(404)
  })
})

describe('a first push of many commits', () => {
  test('is packed soon, with a graph of the commits and bitmaps', async () => {
    const project = await w.project()
    const work = await git().init(urlWith(project.maintainer.token, project.fullPath), fresh())
    const commits = Array.from(
      { length: 120 },
      (_, n) =>
        `commit refs/heads/main\ncommitter a <a@example.com> ${1_700_000_000 + n} +0000\ndata 1\n${n % 10}\n`,
    )
    await git().run(['fast-import', '--quiet'], { cwd: work.folder, input: commits.join('') })
    await work.run('push', '-q', 'origin', 'main')
    const repository = await w.running.services.repositories.ofProject(project.id)
    const objects = join(repository?.folder ?? '', 'objects')
    await until(async () => {
      expect(await readdir(join(objects, 'info', 'commit-graphs'))).toContain('commit-graph-chain')
      expect((await readdir(join(objects, 'pack'))).join()).toMatch(/\.bitmap/)
    })
    const { body } = await project.maintainer.get(`/projects/${project.id}/repository/commits`)
    expect(body).toHaveLength(20)
  })
})
