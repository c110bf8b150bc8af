import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

test('planners make, change, close and delete milestones and labels of projects and groups', async () => {
  const group = await w.group({ visibility: 'public' })
  const project = await w.project({ parent: group.id, visibility: 'public' })
  const { visitor, ...planner } = await signedIn(w)
  await w.member(group.id, planner, 15)
  for (const [page, at] of [
    [`/${project.fullPath}/-`, `/projects/${project.id}`],
    [`/groups/${project.fullPath.split('/')[0]}/-`, `/groups/${group.id}`],
  ] as const) {
    const made = await submit(visitor, `${page}/milestones/new`, 'make', {
      title: 'First',
      due_date: '2031-02-03',
    })
    const one = made.headers.location ?? ''
    expect((await w.root.get(`${at}/milestones`)).body).toMatchObject([
      { title: 'First', due_date: '2031-02-03' },
    ])
    await submit(visitor, one, 'save', { title: 'Second', due_date: '' })
    await submit(visitor, one, 'close')
    expect((await w.root.get(`${at}/milestones`)).body).toMatchObject([
      { title: 'Second', due_date: null, state: 'closed' },
    ])
    const wrong = await submit(visitor, one, 'save', { title: '' })
    expect([wrong.status, /id="save-title-problem"/.test(wrong.text)]).toEqual([400, true])
    await submit(visitor, one, 'delete')
    expect((await w.root.get(`${at}/milestones`)).body).toEqual([])

    await submit(visitor, `${page}/labels/new`, 'make', { name: `of ${at}`, color: '#112233' })
    const [, edit = ''] =
      new RegExp(`href="(${page}/labels/\\d+/edit)"`).exec(
        (await visitor.get(`${page}/labels`, HERE)).text,
      ) ?? []
    await submit(visitor, edit, 'save', { new_name: 'renamed', color: 'red', description: '' })
    expect((await w.root.get(`${at}/labels`)).body).toMatchObject([{ name: 'renamed', color: '#ff0000' }])
    await submit(visitor, edit, 'delete')
    expect((await w.root.get(`${at}/labels`)).body).toEqual([])
    const reader = await signedIn(w)
    const { text } = await reader.visitor.get(`${page}/milestones`, HERE)
    expect([formsIn(text), text.includes('New milestone')]).toEqual([[], false])
  }
})
