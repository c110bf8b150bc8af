import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { made, newLabel } from '#planning/boards/test-support.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest', () => {
  test.each(['ProjectIssueBoards', 'GroupIssueBoards'] as const)('keeps boards with %s', async (resource) => {
    const kind = resource === 'ProjectIssueBoards' ? 'project' : 'group'
    const { id, owner, guest } = kind === 'project' ? await w.project() : await w.group()
    const base = `/${kind}s/${id}`
    const boards = new Gitlab({ host: w.url, token: owner.token })[resource]
    const board = await boards.create(id, 'Work')
    expect(board).toMatchObject({ name: 'Work', lists: [], [kind]: { id } })
    const label = await newLabel(owner, base, 'Doing')
    const first = await boards.createList(id, board.id, { labelId: label.id })
    expect(first).toMatchObject({
      label: { name: 'Doing' },
      position: 0,
      max_issue_count: 0,
      limit_metric: null,
    })
    const second = await boards.createList(id, board.id, { assigneeId: guest.id })
    expect(await boards.editList(id, board.id, second.id, 0)).toMatchObject({ id: second.id, position: 0 })
    expect((await boards.allLists(id, board.id)).map((list) => list.id)).toEqual([second.id, first.id])
    expect(await boards.showList(id, board.id, first.id)).toMatchObject({ id: first.id, position: 1 })
    await boards.removeList(id, board.id, second.id)
    const milestone = await made(owner, `${base}/milestones`, { title: unique('soon') })
    const scope = {
      name: 'All work',
      milestoneId: milestone.id,
      assigneeId: guest.id,
      labels: 'Doing',
      weight: 3,
    }
    expect(await boards.edit(id, board.id, scope)).toMatchObject({
      name: 'All work',
      milestone: { id: milestone.id },
      assignee: { id: guest.id },
      labels: [{ name: 'Doing' }],
      weight: 3,
      lists: [{ id: first.id }],
    })
    expect(await boards.all(id)).toEqual([await boards.show(id, board.id)])
    await expect(boards.createList(id, board.id, { labelId: label.id })).rejects.toMatchObject(refused(400))
    await boards.remove(id, board.id)
    await expect(boards.show(id, board.id)).rejects.toMatchObject(refused(404))
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps boards of projects and groups', { timeout: 180_000 }, async () => {
    await expectHeld('boards.py', w.url, w.root.token, unique('x'))
  })
})
