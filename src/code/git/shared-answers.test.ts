import { describe, expect, it } from 'vitest'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { KeptAnswers } from './kept-answers.ts'

const one = { id: 1 }
const MEBIBYTE = 1024 * 1024
const large = { bytes: () => MEBIBYTE - 1_000 }

/** Asks for an answer. @returns whether it was kept */
async function isKept(kept: KeptAnswers, repository: number, key: string, bytes = MEBIBYTE - 1_000) {
  const { hits } = kept.usage
  await kept.answer({ id: repository }, key, () => Promise.resolve(key), { bytes: () => bytes })
  return kept.usage.hits > hits
}

describe('answers that are kept', () => {
  it('are asked for once by all who ask at the same time, even if they are too large to be kept', async () => {
    const kept = new KeptAnswers()
    let asked = 0
    const ask = () => Promise.resolve((asked += 1))
    const all = () =>
      Promise.all([1, 2, 3].map(() => kept.answer(one, 'a', ask, { bytes: () => 2 * MEBIBYTE })))
    expect(await all()).toEqual([1, 1, 1])
    expect(await all()).toEqual([2, 2, 2])
    expect(kept.usage).toEqual({ bytes: 0, hits: 4, misses: 2 })
  })

  it('are neither failures nor parts: whoever waited for one asks at once', async () => {
    const kept = new KeptAnswers()
    const first = Promise.withResolvers<string>()
    const others = Promise.withResolvers<string>()
    let running = 0
    const later = () => {
      running += 1
      if (running === 2) others.resolve('whole')
      return others.promise
    }
    const failing = kept.answer(one, 'a', () => first.promise, large)
    // They run at the same time, or neither of them would end.
    const waiting = [1, 2].map(() => kept.answer(one, 'a', later, large))
    first.reject(new Error('no time'))
    await expect(failing).rejects.toThrow('no time')
    expect(await Promise.all(waiting)).toEqual(['whole', 'whole'])

    const part = () => kept.answer(one, 'b', () => Promise.resolve('part'), { bytes: () => undefined })
    expect(await Promise.all([part(), part()])).toEqual(['part', 'part'])
    expect(await isKept(kept, 1, 'b')).toBe(false)
  })

  it('of one repository make room for one another, and not of others', async () => {
    const kept = new KeptAnswers()
    await isKept(kept, 2, 'other')
    for (let count = 0; count < 40; count += 1) await isKept(kept, 1, `${count}`)
    expect(kept.usage.bytes).toBeLessThan(9 * MEBIBYTE)
    expect(await isKept(kept, 2, 'other')).toBe(true)
    expect(await isKept(kept, 1, '39')).toBe(true)
    expect(await isKept(kept, 1, '0')).toBe(false)
  })

  it('of one caller, who asks about many repositories, leave those of others', async () => {
    const kept = new KeptAnswers()
    await onBehalfOf(
      () => 'user 1',
      () => isKept(kept, 1, 'a'),
    )
    const many = async () => {
      for (let id = 2; id < 50; id += 1) await isKept(kept, id, 'a')
    }
    await onBehalfOf(() => 'user 2', many)
    expect(kept.usage.bytes).toBeLessThan(10 * MEBIBYTE)
    expect(await isKept(kept, 1, 'a')).toBe(true)
    expect(await isKept(kept, 2, 'a')).toBe(false)
  })

  it('never occupy more than their share of memory together', async () => {
    const kept = new KeptAnswers()
    for (let id = 0; id < 50; id += 1) await isKept(kept, id, 'a')
    expect(kept.usage.bytes).toBeLessThanOrEqual(32 * MEBIBYTE)
    expect(kept.usage.bytes).toBeGreaterThan(30 * MEBIBYTE)
    // A long question counts, too.
    const { bytes } = kept.usage
    await isKept(kept, 99, 'x'.repeat(MEBIBYTE), 8)
    expect(kept.usage.bytes).toBe(bytes)
  })
})

describe('what was asked before', () => {
  it('is another answer after a forced push, on each node', async () => {
    const project = await w.project()
    const repository = await giveSample(project)
    const p = `/projects/${project.id}/repository`
    const tip = repository.row.last_commit_sha ?? ''
    const node = await w.another()
    try {
      const elsewhere = async (path: string) => {
        const headers = { 'private-token': project.maintainer.token }
        return (await fetch(`${node.url}/api/v4${path}`, { headers })).json()
      }
      const make = (branch: string, content: string) =>
        project.maintainer.post(`${p}/commits`, {
          branch,
          start_sha: tip,
          force: true,
          commit_message: content,
          actions: [{ action: 'create', file_path: `${content}.txt`, content }],
        })
      const paths = async (read: (path: string) => Promise<{ diffs: { new_path: string }[] }>) =>
        (await read(`${p}/compare?from=main&to=topic`)).diffs.map(({ new_path }) => new_path)
      const here = async (path: string) => (await project.maintainer.get(path)).body
      for (const content of ['first', 'second']) {
        expect((await make('topic', content)).status).toBe(201)
        const file = `${content}.txt`
        // Asked twice: from git, and then from what is kept.
        for (const read of [here, elsewhere, here, elsewhere]) expect(await paths(read)).toEqual([file])
      }
    } finally {
      await node.stop()
    }
  })

  it('is for nobody who may not read it, and not for another project with the same commits', async () => {
    const project = await w.project({ visibility: 'private' })
    const tip = (await giveSample(project)).row.last_commit_sha ?? ''
    const other = await w.project()
    await giveSample(other)
    const stranger = await w.user()
    const ask = (by: typeof stranger, id: number) => by.get(`/projects/${id}/repository/commits/${tip}/diff`)
    const answer = await ask(project.maintainer, project.id)
    expect((await ask(project.maintainer, project.id)).body).toEqual(answer.body)
    expect([answer.status, (await ask(stranger, project.id)).status]).toEqual([200, 404])
    const made = await project.maintainer.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Secret',
      actions: [{ action: 'create', file_path: 'secret', content: 'secret' }],
    })
    const path = (id: number) => `/projects/${id}/repository/commits/${made.body.id}/diff`
    expect((await project.maintainer.get(path(project.id))).status).toBe(200)
    expect((await other.maintainer.get(path(other.id))).status).toBe(404)
  })

  it('is gone with its project, and one that takes its place answers for itself', async () => {
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
    const young = await w.project({ parent: project.groupId, path: project.fullPath.split('/').at(-1) ?? '' })
    await giveSample(young)
    expect((await young.maintainer.get(path)).status).toBe(404)
  })
})
