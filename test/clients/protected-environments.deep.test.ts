import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const { url } = await w.licensed()
const clientOf = ({ token }: { token: string }) => new Gitlab({ host: url, token })

/** A group that protects, with a project of it that has code. */
async function ground() {
  const group = await w.group()
  const project = await w.project({ parent: group.id })
  await giveSample(project)
  return { group, project }
}

test('@gitbeaker/rest protects environments and tiers, and approves deployments', async () => {
  const { group, project } = await ground()
  const keeper = clientOf(group.maintainer).GroupProtectedEnvironments
  const made = await keeper.create(group.id, 'production', [{ accessLevel: 40 }], {
    approvalRules: [{ userId: group.owner.id }],
  })
  expect(made).toMatchObject({ name: 'production', deploy_access_levels: [{ access_level: 40 }] })
  expect(made).toMatchObject({ approval_rules: [{ user_id: group.owner.id, required_approvals: 1 }] })
  const edited = await keeper.edit(group.id, 'production', { approvalRules: [{ accessLevel: 40 }] })
  expect(edited).toMatchObject({
    approval_rules: [{ user_id: group.owner.id }, { access_level: 40, required_approvals: 1 }],
  })
  expect(await keeper.all(group.id)).toEqual([edited])
  expect(await keeper.show(group.id, 'production')).toEqual(edited)

  const own = clientOf(project.maintainer).ProjectProtectedEnvironments
  await own.create(project.id, 'canary', [{ userId: project.developer.id }], { approvalRules: [] })
  expect(await own.show(project.id, 'canary')).toMatchObject({ name: 'canary', approval_rules: [] })
  await own.edit(project.id, 'canary', { requiredApprovalCount: 1 })
  expect(await own.all(project.id)).toMatchObject([{ required_approval_count: 1 }])
  await own.remove(project.id, 'canary')
  expect(await own.all(project.id)).toEqual([])

  const { Deployments } = clientOf(group.maintainer)
  const { id } = await Deployments.create(project.id, 'production', 'main', 'main', false, {
    status: 'running',
  })
  expect(await Deployments.show(project.id, id)).toMatchObject({
    status: 'blocked',
    pending_approval_count: 2,
  })
  const owner = clientOf(group.owner).Deployments
  expect(await owner.setApproval(project.id, id, 'approved', { comment: 'Go' })).toMatchObject({
    status: 'approved',
    comment: 'Go',
    user: { username: group.owner.username },
  })
  await owner.setApproval(project.id, id, 'approved', { representedAs: 'Maintainers' })
  expect(await Deployments.edit(project.id, id, 'success')).toMatchObject({ status: 'success' })
  await keeper.remove(group.id, 'production')
  expect(await keeper.all(group.id)).toEqual([])
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('protects an environment, and approves a deployment', { timeout: 180_000 }, async () => {
    const { project } = await ground()
    const people = [project.developer.token, project.maintainer.token]
    await expectHeld('protected-environments.py', url, project.id, ...people)
  })
})
